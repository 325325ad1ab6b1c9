"""
Schedules: messages that are to come, once or again and again.

    accepted -> waits -> released         once, in its room's stream
    created -> fires, fires ... cancelled again and again, in its agent's stream

Three laws. What is due stands in the due instants of the streams, so time passing costs
what is due. What fires and the record that it did are one commit, so whatever ends in
between doubles nothing and loses nothing. And each message that comes of it is one as
any other: heard, paced, owed and settled alike.
"""
