"""SQL databases that evidence is read from: connections that cannot write, bounded in time.

    urls        which engine, driver and schemas an address names
    opening     the database of an address
    database    what a tool needs of one, whichever engine it is
    leash       how long a query may take, and what cuts it loose
    servers     what engines behind a server have in common
    mysql, postgresql, sqlite    what they differ in, and the grant that an account needs
    pragmas     what SQLite may be asked of its schema

`tools.sql` asks what a model has written, `tools.logs` asks our own statements of a log table.
"""
