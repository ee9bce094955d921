"""
python -m coharness_trainer.generation: requests on stdin, results on stdout, one JSON object a line; everything else on stderr.
docs/decisions/inference-torch.md describes the lines. Ends when stdin ends.
"""

import functools
import json
import os
import queue
import sys
import threading
import traceback
from pathlib import Path

from ..__main__ import event_stream
from ..failure import TrainerFailure, failure_of

CLOSED = None


def read_lines(lines: queue.SimpleQueue) -> None:
    for line in sys.stdin:
        if line.strip():
            lines.put(json.loads(line))
    lines.put(CLOSED)


def open_team(opening: dict, emit, fail):
    """The engines that the first line asks for; announces them."""
    import torch

    from ..base_model import compute_device
    from .engine import Engine
    from .llama_weights import llama_weights, served_model
    from .stop_bytes import token_bytes
    from .team import MOST_WORKERS, Team

    threads = opening["threads"] if opening["threads"] > 0 else torch.get_num_threads()
    workers = min(MOST_WORKERS, threads, opening["slots"])
    torch.set_num_threads(threads)
    base = Path(opening["base"]["gguf"])
    adapter = None if opening["adapter"] is None else Path(opening["adapter"])
    # The engine computes on the CPU; what is fast there is what counts, whatever else the machine has.
    dtype = torch.float32 if torch.cuda.is_available() else compute_device()[1]
    weights = llama_weights(served_model(base, opening["base"]["hash"], adapter, dtype), opening["windowTokens"])
    # Before the workers start: threads take this over when they first compute.
    torch.set_num_threads(threads // workers)
    # Only requests with stop strings need the vocabulary, which takes a second to read.
    shown = functools.cache(lambda: token_bytes(base))
    team = Team(
        workers,
        lambda finish: Engine(
            weights, -(-opening["slots"] // workers), opening["endTokens"], lambda token: shown()[token], finish
        ),
        lambda request_id, tokens, reason: emit({"id": request_id, "tokens": tokens, "finish": reason}),
        fail,
    )
    emit(
        {
            "event": "ready",
            "windowTokens": weights.window,
            "slots": opening["slots"],
            "precision": str(weights.dtype).removeprefix("torch."),
            "threads": threads,
            "workers": workers,
        }
    )
    return team, weights.embedding.shape[0]


def handle(message: dict, team, vocabulary: int, emit) -> None:
    from .sampling import Sampling
    from .sequence import Request

    if "cancel" in message:
        team.cancel(message["cancel"])
        return
    foreign = [token for token in message["prompt"] if not 0 <= token < vocabulary]
    if foreign or not message["prompt"]:
        problem = f"tokens {foreign[:5]} are not in the vocabulary of {vocabulary}" if foreign else "the prompt is empty"
        emit({"id": message["id"], "error": f"Request {message['id']} cannot be evaluated: {problem}."})
        return
    sampling = Sampling(message["temperature"], message["topP"], message["topK"], message["seed"])
    team.submit(Request(message["id"], message["prompt"], message["maxTokens"], sampling, message["stop"]))


def serve(emit) -> None:
    lines: queue.SimpleQueue = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    opening = lines.get()
    if opening is CLOSED:
        raise TrainerFailure("bad-opening", "Expected a first line {base, adapter, slots, windowTokens, threads, endTokens} on stdin.")
    team, vocabulary = open_team(opening, emit, lines.put)
    while True:
        message = lines.get()
        if message is CLOSED:
            return
        if isinstance(message, BaseException):
            raise message
        handle(message, team, vocabulary, emit)


def main() -> None:
    write = event_stream()
    lock = threading.Lock()

    def emit(event: dict) -> None:
        with lock:
            write(event)

    try:
        serve(emit)
    except BaseException as error:
        traceback.print_exception(error)
        failure = failure_of(error)
        emit({"event": "failed", "code": failure.code, "message": failure.message})
        sys.stderr.flush()
        os._exit(1)
    # Without waiting for workers that are in the middle of a pass, or for libraries to tidy up.
    os._exit(0)


if __name__ == "__main__":
    main()
