"""
Teams, as the shell does them: two surfaces, a person's and a member's.

Law: whoever is on a roster is refused on the person's, and whoever is on none on the
member's (S-SURFACE-01); what is decided is decided by `rooms.log.team` alone.
"""
