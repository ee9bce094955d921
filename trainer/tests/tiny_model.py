"""A llama model of a few thousand random weights: small enough to train in a test, real enough to go through every format."""

from pathlib import Path

import gguf
import numpy
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from coharness_trainer.adapter_gguf import permute_rows

# Several threads on matrices this small only wait for each other.
torch.set_num_threads(1)

VOCABULARY = 64
BLOCKS, HEADS, KEY_VALUE_HEADS, WIDTH, INNER = 2, 4, 2, 32, 48


def tiny_llama(seed: int = 0) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=INNER, num_hidden_layers=BLOCKS,
            num_attention_heads=HEADS, num_key_value_heads=KEY_VALUE_HEADS, max_position_embeddings=128,
            tie_word_embeddings=True, initializer_range=0.2,
        )
    )  # fmt: skip


def write_tiny_gguf(path: Path, seed: int = 0) -> LlamaForCausalLM:
    """Writes the model as llama.cpp's converter would, and returns it."""
    model = tiny_llama(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(BLOCKS)
    writer.add_context_length(128)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_VALUE_HEADS)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{token}" for token in range(VOCABULARY)])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, BLOCKS)
    for key, weights in model.state_dict().items():
        if key == "lm_head.weight":
            continue
        name = names.get_name(key.removesuffix(".weight"))
        array = weights.numpy().astype(numpy.float32)
        if name.endswith("attn_q"):
            array = permute_rows(array, HEADS)
        elif name.endswith("attn_k"):
            array = permute_rows(array, KEY_VALUE_HEADS)
        writer.add_tensor(f"{name}.weight", numpy.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model
