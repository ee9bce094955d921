"""The job file: read once, checked field by field, unknown fields refused."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from .failure import TrainerFailure

JOB_VERSION = 1


@dataclass(frozen=True)
class Lora:
    rank: int
    alpha: float
    dropout: float
    # Module names such as "q_proj", or the one entry "all-linear": every linear layer but the output head.
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Training:
    epochs: int
    learning_rate: float
    # Rows per optimiser step.
    rows_per_batch: int
    # Share of all steps over which the learning rate rises from 0, in [0, 1).
    warmup_share: float
    seed: int
    checkpoint_every_steps: int


@dataclass(frozen=True)
class Job:
    base_gguf: Path
    # SHA-256 of the file, 64 hexadecimal digits.
    base_hash: str
    # PEFT folder whose weights training continues from; None = fresh LoRA.
    initial_adapter: Path | None
    rows: Path
    output: Path
    lora: Lora
    training: Training
    # 0 = as many as torch finds sensible.
    threads: int

    def fingerprint(self) -> str:
        """Hash of everything that decides the result. Paths do not: the contents of the files do."""
        initial = None if self.initial_adapter is None else file_hash(self.initial_adapter / "adapter_model.safetensors")
        content = {
            "base": self.base_hash,
            "initialAdapter": initial,
            "rows": file_hash(self.rows),
            "lora": self.lora.__dict__,
            "training": {name: value for name, value in self.training.__dict__.items() if name != "checkpoint_every_steps"},
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes. Fails with `file-missing`."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise TrainerFailure("file-missing", f"Cannot read {path}: {error.strerror}. Check the path in the job file.") from error


def _digest(file) -> str:
    # Python 3.10 has no hashlib.file_digest.
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _bad(field: str, value, expected: str) -> TrainerFailure:
    return TrainerFailure("bad-job", f"Job field {field} is {json.dumps(value)}; expected {expected}. Correct the job file.")


def _members(value, field: str, names: tuple[str, ...]) -> dict:
    if not isinstance(value, dict):
        raise _bad(field, value, "an object")
    unknown, missing = sorted(set(value) - set(names)), sorted(set(names) - set(value))
    if unknown or missing:
        raise _bad(field, sorted(value), f"exactly the fields {', '.join(names)} (unknown: {unknown}, missing: {missing})")
    return value


def _number(value, field: str, low: float, high: float, whole: bool = False):
    is_number = isinstance(value, int) if whole else isinstance(value, (int, float))
    if isinstance(value, bool) or not is_number or not low <= value <= high:
        raise _bad(field, value, f"{'a whole' if whole else 'a'} number from {low} to {high}")
    return value


def _text(value, field: str) -> str:
    if not isinstance(value, str) or value == "":
        raise _bad(field, value, "a non-empty text")
    return value


def parse_job(value) -> Job:
    """Checked job. Fails with `bad-job`, naming the field."""
    job = _members(value, "(the whole job)", ("version", "base", "initialAdapter", "rows", "output", "lora", "training", "threads"))
    if job["version"] != JOB_VERSION:
        raise _bad("version", job["version"], f"{JOB_VERSION}, the version this trainer reads")
    base = _members(job["base"], "base", ("gguf", "hash"))
    lora = _members(job["lora"], "lora", ("rank", "alpha", "dropout", "targets"))
    training = _members(
        job["training"],
        "training",
        ("epochs", "learningRate", "rowsPerBatch", "warmupShare", "seed", "checkpointEverySteps"),
    )
    targets = lora["targets"]
    if not isinstance(targets, list) or not targets or not all(isinstance(name, str) and name for name in targets):
        raise _bad("lora.targets", targets, 'a list of module names, or ["all-linear"]')
    initial = job["initialAdapter"]
    return Job(
        base_gguf=Path(_text(base["gguf"], "base.gguf")),
        base_hash=_text(base["hash"], "base.hash"),
        initial_adapter=None if initial is None else Path(_text(initial, "initialAdapter")),
        rows=Path(_text(job["rows"], "rows")),
        output=Path(_text(job["output"], "output")),
        lora=Lora(
            rank=_number(lora["rank"], "lora.rank", 1, 1024, whole=True),
            alpha=_number(lora["alpha"], "lora.alpha", 1e-3, 1e5),
            dropout=_number(lora["dropout"], "lora.dropout", 0, 0.9),
            targets=tuple(targets),
        ),
        training=Training(
            epochs=_number(training["epochs"], "training.epochs", 1, 1000, whole=True),
            learning_rate=_number(training["learningRate"], "training.learningRate", 1e-8, 1),
            rows_per_batch=_number(training["rowsPerBatch"], "training.rowsPerBatch", 1, 4096, whole=True),
            warmup_share=_number(training["warmupShare"], "training.warmupShare", 0, 0.99),
            seed=_number(training["seed"], "training.seed", 0, 2**32 - 1, whole=True),
            checkpoint_every_steps=_number(training["checkpointEverySteps"], "training.checkpointEverySteps", 1, 10**9, whole=True),
        ),
        threads=_number(job["threads"], "threads", 0, 1024, whole=True),
    )


def read_job(path: Path) -> Job:
    """Fails with `bad-job` when the file is missing, not JSON, or has a wrong field."""
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainerFailure("bad-job", f"Cannot read the job file {path}: {error}. Write it as docs/formats.md describes.") from error
    return parse_job(value)
