"""python -m coharness_trainer.smoke BASE.gguf: one real training step in a temporary folder, reported as one JSON line."""

import json
import sys
import tempfile
import time
from pathlib import Path

from .__main__ import event_stream
from .failure import failure_of


def smoke(base: Path, folder: Path) -> dict:
    """One step on two rows that share a prefix, then the conversion: every part of a job, in the least time."""
    from .job import file_hash, parse_job
    from .train import train

    shared = list(range(10, 42))
    rows = [{"input_ids": [*shared, 50 + row, 60 + row, 70 + row], "supervised": [[33, 35]]} for row in range(2)]
    rows_file = folder / "rows.jsonl"
    rows_file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    job = parse_job(
        {
            "version": 1,
            "base": {"gguf": str(base), "hash": file_hash(base)},
            "initialAdapter": None,
            "rows": str(rows_file),
            "output": str(folder / "output"),
            "lora": {"rank": 4, "alpha": 8, "dropout": 0, "targets": ["all-linear"]},
            "training": {
                "epochs": 1, "learningRate": 1e-3, "rowsPerBatch": 2, "warmupShare": 0, "seed": 0, "checkpointEverySteps": 1000,
            },
            "threads": 0,
        }
    )  # fmt: skip
    return train(job, lambda event: None)


def main(arguments: list[str]) -> int:
    emit = event_stream()
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="coharness-smoke-") as folder:
            manifest = smoke(Path(arguments[0]), Path(folder))
    except Exception as error:
        failure = failure_of(error)
        emit({"ok": False, "code": failure.code, "message": failure.message})
        return 1
    facts = {name: manifest[name] for name in ("firstLoss", "device", "precision", "versions")}
    emit({"ok": True, "seconds": round(time.monotonic() - started, 1), **facts})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
