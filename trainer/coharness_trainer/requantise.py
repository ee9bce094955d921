"""python -m coharness_trainer.requantise SRC.gguf DST.gguf TYPE: the same model with its matrices in another number format."""

import json
import os
import sys
from pathlib import Path

import gguf

# Formats that gguf-py can write, with the file type that llama.cpp shows for them.
FORMATS = {
    "Q4_0": (gguf.GGMLQuantizationType.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
    "Q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "F16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
}
# Norms stay in fp32: they are a thousandth of the file and quantising them hurts.
KEPT = (gguf.GGMLQuantizationType.F32,)


def requantise(source: Path, destination: Path, format_name: str) -> int:
    """
    Writes `destination` whole or not at all, the same bytes for the same input, and returns the number of converted
    tensors. ValueError for an unknown format; OSError and ValueError from gguf for an unreadable source.
    """
    if format_name not in FORMATS:
        raise ValueError(f"Format {format_name!r} is unknown; known are {', '.join(FORMATS)}.")
    quantization, file_type = FORMATS[format_name]
    reader = gguf.GGUFReader(source)
    partial = destination.with_name(f"{destination.name}.{os.getpid()}.partial")
    converted = 0
    try:
        writer = gguf.GGUFWriter(partial, reader.get_field("general.architecture").contents())
        for field in reader.fields.values():
            # The writer sets these itself, or they describe the old format.
            if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
                continue
            writer.add_key_value(
                field.name, field.contents(), field.types[0], sub_type=field.types[-1] if len(field.types) > 1 else None
            )
        writer.add_file_type(file_type)
        for tensor in reader.tensors:
            if tensor.tensor_type in KEPT:
                writer.add_tensor(tensor.name, tensor.data)
                continue
            weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            writer.add_tensor(tensor.name, gguf.quants.quantize(weights, quantization), raw_dtype=quantization)
            converted += 1
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        os.replace(partial, destination)
    finally:
        partial.unlink(missing_ok=True)
    return converted


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(f"Expected SRC.gguf DST.gguf and one of {', '.join(FORMATS)}.", file=sys.stderr)
        return 2
    source, destination, format_name = arguments
    try:
        converted = requantise(Path(source), Path(destination), format_name)
    except (OSError, ValueError) as error:
        print(json.dumps({"ok": False, "message": f"Cannot convert {source} to {format_name}: {error}"}))
        return 1
    print(json.dumps({"ok": True, "tensors": converted, "bytes": Path(destination).stat().st_size}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
