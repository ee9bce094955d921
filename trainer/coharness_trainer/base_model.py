"""The served GGUF file as a torch model, in the precision that this machine computes fast."""

import contextlib
import functools
from pathlib import Path
from unittest import mock

import gguf
import numpy
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from .failure import TrainerFailure
from .job import file_hash


def compute_device() -> tuple[torch.device, torch.dtype]:
    """
    bf16 halves memory and is fast only in hardware: on a CPU without AMX or AVX512-BF16 it is emulated and several times
    slower than fp32.
    """
    if torch.cuda.is_available():
        return torch.device("cuda"), torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    capabilities = torch.cpu.get_capabilities()
    fast_bf16 = capabilities.get("amx_tile", False) or capabilities.get("avx512_bf16", False)
    return torch.device("cpu"), torch.bfloat16 if fast_bf16 else torch.float32


class _PlainArrayReader(gguf.GGUFReader):
    """Keeps the file as a plain array: slicing numpy.memmap costs 10× more, once for each of ~300,000 vocabulary parts."""

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, value):
        self._data = numpy.asarray(value)


@contextlib.contextmanager
def _fast_gguf_reading():
    # transformers 5.24 parses the vocabulary twice and builds the same tensor name map once per module: of 36 s for a
    # 135M model on two cores, 27 s are these two.
    with (
        mock.patch.object(gguf, "GGUFReader", functools.cache(_PlainArrayReader)),
        mock.patch.object(gguf, "get_tensor_name_map", functools.cache(gguf.get_tensor_name_map)),
    ):
        yield


def load_base(path: Path, expected_hash: str, dtype: torch.dtype) -> PreTrainedModel:
    """
    De-quantised weights of the GGUF file, on the CPU. Fails with `file-missing`, `base-mismatch` when the file is not the
    one that is served, and `bad-base` when it cannot be read as a model.
    """
    actual = file_hash(path)
    if actual != expected_hash:
        raise TrainerFailure(
            "base-mismatch",
            f"{path} has hash {actual}, the job expects {expected_hash}. Train on the file that is served: fetch it again.",
        )
    try:
        with _fast_gguf_reading():
            model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=dtype)
    except Exception as error:
        raise TrainerFailure("bad-base", f"{path} cannot be read as a model: {error}. Fetch it again.") from error
    # The weights are plain numbers now; what is left of the quantiser would make the trainer refuse the model.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    return model
