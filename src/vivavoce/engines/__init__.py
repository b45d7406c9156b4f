"""The speech engines: one file a provider, found by entry point, run in one worker process.

    settings    what the engines need to know, as one value
    casting     which voice speaks a request (pure)
    words       the words of a text, and estimated times for them (pure)
    frames      the worker's protocol without sockets (pure)
    models      weights: find, check, fetch
    company     all engines of one process behind one `Synthesizer`
    worker      the process that runs a company
    link        one such process, seen from the daemon
    synthesis   the daemon's `Synthesizer`: starts, restarts and unloads the worker

What the daemon imports (`synthesis` and what it needs) brings neither numpy nor a model along.
"""
