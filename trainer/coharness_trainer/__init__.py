"""Job file in, adapter and event stream out. Decides nothing: what to train on and whether the result is good is the caller's."""
