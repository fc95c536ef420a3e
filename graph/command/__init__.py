"""What the command line does, one file a matter; `graph.cli` parses the words and calls these.

ask, interrupt                 one question, its Ctrl-C
live, narration, wording       progress while a run goes on; one sentence a trace event
answer, trace, doctor, prune   what is printed, and removed
terminal, usage                the two streams; what exit code 2 says
"""
