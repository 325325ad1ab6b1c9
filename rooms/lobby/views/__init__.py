"""
Views: what people and hosts ask of a lobby beside its messages.

Three laws. A question costs what it returns, whatever the history: it is answered from
rows that are fed from the log (`rows`) and from the state of one room. Every view asks
the gate who sees what, so nothing that is hidden is listed or counted. And a view
changes nothing but the audit of an oversight read (foundation 21).
"""
