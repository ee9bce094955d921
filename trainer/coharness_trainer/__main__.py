"""
python -m coharness_trainer JOB.json [--while-stdin-open]: events on stdout, one JSON object a line; everything else on
stderr. With the flag, the process ends as soon as its standard input is closed, so it never outlives a killed parent.
"""

import json
import os
import sys
import threading
from pathlib import Path

# Training reads local files only; without this, libraries look for a model hub before every load.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def event_stream():
    """An `emit` that owns the real stdout; what libraries print goes to stderr from now on."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def emit(event: dict) -> None:
        stream.write(json.dumps(event) + "\n")
        stream.flush()

    return emit


def end_with_stdin() -> None:
    """Checkpoints are complete or ignored, so the process may end anywhere."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main(arguments: list[str]) -> int:
    emit = event_stream()
    from .failure import TrainerFailure, failure_of

    try:
        if "--while-stdin-open" in arguments:
            arguments = [argument for argument in arguments if argument != "--while-stdin-open"]
            end_with_stdin()
        if len(arguments) != 1:
            raise TrainerFailure("bad-job", "Expected one argument, the job file: python -m coharness_trainer JOB.json")
        from .job import read_job

        job = read_job(Path(arguments[0]))
        from .train import train

        manifest = train(job, emit)
    except Exception as error:
        import traceback

        traceback.print_exc()
        failure = failure_of(error)
        emit({"event": "failed", "code": failure.code, "message": failure.message})
        return 1
    emit(
        {
            "event": "finished",
            "adapter": str(job.output / manifest["adapter"]),
            "adapterGguf": str(job.output / manifest["adapterGguf"]),
            **{name: manifest[name] for name in ("adapterHash", "firstLoss", "lastLoss", "seconds")},
        }
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
