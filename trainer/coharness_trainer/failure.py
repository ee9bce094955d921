"""Everything that can end a training run on purpose, and how an unexpected exception becomes such a failure."""

import errno

# What safetensors and torch say for a full disk; neither keeps the errno. torch 2.15 only notices that less was written
# than it meant to.
FULL_DISK_TEXTS = ("No space left on device", "os error 28", "unexpected pos")


class TrainerFailure(Exception):
    """`code` is stable and is what callers branch on; the message names values, what was expected and the next step."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code
        self.message = message


def failure_of(error: BaseException) -> TrainerFailure:
    """The failure to report for any exception; the causes of an exception are looked at too."""
    seen = error
    while seen is not None:
        if isinstance(seen, TrainerFailure):
            return seen
        if getattr(seen, "errno", None) == errno.ENOSPC or any(text in str(seen) for text in FULL_DISK_TEXTS):
            return TrainerFailure(
                "disk-full",
                f"The disk filled up while training ({seen}). The newest complete checkpoint is kept: "
                "free some space and run the same job again, it continues there.",
            )
        if isinstance(seen, ImportError):
            return TrainerFailure("packages-missing", f"The Python environment is incomplete ({seen}).")
        if isinstance(seen, MemoryError) or "can't allocate memory" in str(seen) or "out of memory" in str(seen).lower():
            return TrainerFailure(
                "out-of-memory",
                f"Memory ran out while training ({seen}). Lower training.rowsPerBatch or free memory, then run the job again.",
            )
        seen = seen.__cause__ or seen.__context__
    return TrainerFailure("unexpected", f"{type(error).__name__}: {error}")
