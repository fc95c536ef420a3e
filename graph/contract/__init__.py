"""The stop contract as pure functions over frozen values (C1.1).

No I/O, clock, ids, framework or environment here: `decide` and `fold` are the whole of it.

    vocabulary   the closed sets of words
    limits       what a run may spend
    envelope     what a tool request says, and how it breaks the protocol
    progress     the counters and the only arithmetic on them
    verdict      what the gate may say
    gate         the ordered rules: one request in, one verdict out
    budget       whether one more call may be made
    context      how much of the dialogue a request repeats whole
"""
