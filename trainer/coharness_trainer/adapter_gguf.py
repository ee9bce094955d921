"""
A PEFT LoRA folder as a GGUF adapter that llama.cpp loads. What llama.cpp's convert_lora_to_gguf.py does, without the
original model repository: names come from gguf's own table, the architecture from the base GGUF.
"""

import json
import os
from pathlib import Path

import gguf
import numpy
from safetensors.numpy import load_file

from .failure import TrainerFailure

# Whether the base converter permutes the rows of q and k for this architecture (llama.cpp's rotary embedding pairs
# neighbouring rows, transformers' pairs halves). Only architectures whose answer is known are converted: a wrong one
# loads without complaint and speaks nonsense.
PERMUTES_Q_AND_K = {"llama": True, "qwen2": False, "qwen3": False}


def permute_rows(weights: numpy.ndarray, head_count: int) -> numpy.ndarray:
    """Rows of a q or k projection, [heads * 2 * half, ...], from transformers' order to llama.cpp's."""
    half = weights.shape[0] // head_count // 2
    return weights.reshape(head_count, 2, half, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def base_facts(base: Path) -> tuple[str, int, int, int]:
    """Architecture, number of blocks, query heads and key-value heads of a GGUF model."""
    reader = gguf.GGUFReader(base)

    def value(name: str, default=None):
        field = reader.get_field(name)
        return default if field is None else field.contents()

    architecture = value("general.architecture")
    heads = value(f"{architecture}.attention.head_count")
    return architecture, value(f"{architecture}.block_count"), heads, value(f"{architecture}.attention.head_count_kv", heads)


def gguf_tensors(
    adapter: dict[str, numpy.ndarray], architecture: str, blocks: int, heads: int, key_value_heads: int
) -> dict[str, numpy.ndarray]:
    """
    PEFT tensors (`base_model.model.<module>.lora_A.weight` [rank, in], `…lora_B.weight` [out, rank]) under their GGUF
    names, sorted, fp32. Fails with `unsupported-adapter` for another architecture or for anything but LoRA pairs.
    """
    if architecture not in PERMUTES_Q_AND_K:
        raise TrainerFailure(
            "unsupported-adapter",
            f"No GGUF adapter form is known for architecture {architecture!r}; known are {', '.join(PERMUTES_Q_AND_K)}. "
            "Serve the PEFT folder with an engine that reads it, such as vLLM.",
        )
    identifier = next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(identifier, blocks)
    converted = {}
    for key, weights in adapter.items():
        module, _, half = key.removeprefix("base_model.model.").rpartition(".lora_")
        name = names.get_name(module)
        if name is None or half not in ("A.weight", "B.weight"):
            raise TrainerFailure("unsupported-adapter", f"Adapter tensor {key} has no GGUF form. Train with linear layers as targets.")
        weights = weights.astype(numpy.float32)
        if half == "B.weight" and PERMUTES_Q_AND_K[architecture]:
            if name.endswith(".attn_q"):
                weights = permute_rows(weights, heads)
            elif name.endswith(".attn_k"):
                weights = permute_rows(weights, key_value_heads)
        converted[f"{name}.weight.lora_{half[0].lower()}"] = numpy.ascontiguousarray(weights)
    return dict(sorted(converted.items()))


def write_adapter_gguf(adapter_folder: Path, base: Path, destination: Path) -> None:
    """Same adapter and base → same bytes. The file appears whole or not at all."""
    config = json.loads((adapter_folder / "adapter_config.json").read_text(encoding="utf-8"))
    if config.get("use_rslora") or config.get("use_dora") or config.get("alpha_pattern") or config.get("rank_pattern"):
        raise TrainerFailure("unsupported-adapter", f"{adapter_folder} uses a LoRA variant that GGUF adapters cannot express.")
    architecture, blocks, heads, key_value_heads = base_facts(base)
    tensors = gguf_tensors(load_file(adapter_folder / "adapter_model.safetensors"), architecture, blocks, heads, key_value_heads)
    partial = destination.with_name(f"{destination.name}.{os.getpid()}.partial")
    try:
        writer = gguf.GGUFWriter(partial, architecture)
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        # llama.cpp scales by alpha / rank, with the rank read from the tensors.
        writer.add_float32("adapter.lora.alpha", float(config["lora_alpha"]))
        for name, weights in tensors.items():
            writer.add_tensor(name, weights)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        os.replace(partial, destination)
    finally:
        partial.unlink(missing_ok=True)
