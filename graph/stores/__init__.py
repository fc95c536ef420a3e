"""Where sessions and canonical records lie, chosen by URL in the settings.

sessions             what a session store is; the one that the settings name
sqlite_sessions      a file in the data folder, its locks beside it
postgres_sessions    a server that hosts share, its locks on the connection that writes
postgres_connection  that connection, which never waits for ever
records              the canonical store that the settings name
retention            how old sessions and records are removed
folder               the private data folder
address              a URL without its credentials
"""
