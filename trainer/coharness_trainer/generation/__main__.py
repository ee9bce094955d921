"""
python -m coharness_trainer.generation: requests on stdin, results on stdout, one JSON object a line; everything else on stderr.
docs/decisions/inference-torch.md describes the lines. Ends when stdin ends.
"""

import json
import queue
import sys
import threading
from pathlib import Path

from ..__main__ import event_stream
from ..failure import TrainerFailure, failure_of

CLOSED = None


def read_lines(lines: queue.SimpleQueue) -> None:
    for line in sys.stdin:
        if line.strip():
            lines.put(json.loads(line))
    lines.put(CLOSED)


def open_engine(opening: dict, emit):
    """The engine that the first line asks for; announces it."""
    import torch

    from ..base_model import compute_device
    from .engine import Engine
    from .llama_weights import llama_weights, served_model
    from .stop_bytes import token_bytes

    if opening["threads"] > 0:
        torch.set_num_threads(opening["threads"])
    capabilities_dtype = compute_device()[1] if not torch.cuda.is_available() else torch.float32
    base = Path(opening["base"]["gguf"])
    adapter = None if opening["adapter"] is None else Path(opening["adapter"])
    weights = llama_weights(served_model(base, opening["base"]["hash"], adapter, capabilities_dtype), opening["windowTokens"])
    shown: list[bytes] = []

    def bytes_of(token: int) -> bytes:
        # Only requests with stop strings need the vocabulary, which takes a second to read.
        if not shown:
            shown.extend(token_bytes(base))
        return shown[token]

    engine = Engine(
        weights,
        opening["slots"],
        opening["endTokens"],
        bytes_of,
        lambda request_id, tokens, reason: emit({"id": request_id, "tokens": tokens, "finish": reason}),
    )
    emit(
        {
            "event": "ready",
            "windowTokens": weights.window,
            "slots": opening["slots"],
            "precision": str(weights.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }
    )
    return engine


def handle(message: dict, engine, emit) -> None:
    from .sampling import Sampling
    from .sequence import Request

    if "cancel" in message:
        engine.cancel(message["cancel"])
        return
    if "counts" in message:
        emit({"event": "counts", **engine.counts})
        return
    vocabulary = engine.weights.embedding.shape[0]
    foreign = [token for token in message["prompt"] if not 0 <= token < vocabulary]
    if foreign or not message["prompt"]:
        problem = f"tokens {foreign[:5]} are not in the vocabulary of {vocabulary}" if foreign else "the prompt is empty"
        emit({"id": message["id"], "error": f"Request {message['id']} cannot be evaluated: {problem}."})
        return
    sampling = Sampling(message["temperature"], message["topP"], message["topK"], message["seed"])
    engine.submit(Request(message["id"], message["prompt"], message["maxTokens"], sampling, message["stop"]))


def serve(emit) -> None:
    lines: queue.SimpleQueue = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    opening = lines.get()
    if opening is CLOSED:
        raise TrainerFailure("bad-opening", "Expected a first line {base, adapter, slots, windowTokens, threads, endTokens} on stdin.")
    engine = open_engine(opening, emit)
    while True:
        while engine.is_idle or not lines.empty():
            message = lines.get()
            if message is CLOSED:
                return
            handle(message, engine, emit)
        engine.step()


def main() -> int:
    emit = event_stream()
    try:
        serve(emit)
    except Exception as error:
        import traceback

        traceback.print_exc()
        failure = failure_of(error)
        emit({"event": "failed", "code": failure.code, "message": failure.message})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
