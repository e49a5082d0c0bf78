"""What the Python packages for MCAP, which are not ours, read and write.

    beside.py read FILE             prints a line for each message
    beside.py write FILE HOW        writes a file (HOW: none, lz4, zstd, plain) and prints its lines
    beside.py decode FILE           prints each message as its decoder understands it
"""

import json
import sys

from mcap.reader import NonSeekingReader, SeekingReader
from mcap.writer import CompressionType, IndexType, Writer


def line(schema, channel, message):
    return "|".join(
        str(part)
        for part in (
            channel.topic,
            channel.message_encoding,
            schema.name if schema else "-",
            message.sequence,
            message.log_time,
            message.publish_time,
            message.data.hex(),
        )
    )


def read(path):
    lists = []
    for kind in (SeekingReader, NonSeekingReader):
        with open(path, "rb") as file:
            reader = kind(file, validate_crcs=True)
            lists.append([line(*item) for item in reader.iter_messages(log_time_order=False)])
    assert lists[0] == lists[1], "Python's two readers differ"
    print("\n".join(lists[0]))
    with open(path, "rb") as file:
        summary = SeekingReader(file, validate_crcs=True).get_summary()
    statistics = summary.statistics
    assert statistics.message_count == len(lists[0])
    assert statistics.channel_count == len(summary.channels)
    assert statistics.schema_count == len(summary.schemas)
    assert statistics.chunk_count == len(summary.chunk_indexes)
    assert statistics.metadata_count == len(summary.metadata_indexes)
    assert sum(statistics.channel_message_counts.values()) == statistics.message_count
    with open(path, "rb") as file:
        for table in SeekingReader(file).iter_metadata():
            print("metadata", table.name, json.dumps(table.metadata, sort_keys=True))


def write(path, how):
    compression = {
        "none": CompressionType.NONE,
        "lz4": CompressionType.LZ4,
        "zstd": CompressionType.ZSTD,
        "plain": CompressionType.NONE,
    }[how]
    with open(path, "wb") as file:
        writer = Writer(
            file,
            chunk_size=500,
            compression=compression,
            index_types=IndexType.ALL,
            use_chunking=how != "plain",
            enable_data_crcs=True,
        )
        writer.start(profile="", library="beside.py")
        schema = writer.register_schema("A", "jsonschema", b"{}")
        channels = [
            writer.register_channel("/a", "json", schema, {"unit": "m"}),
            writer.register_channel("/b", "raw", 0),
        ]
        writer.add_attachment(1, 2, "notes.txt", "text/plain", b"x" * 700)
        writer.add_metadata("trip", {"a": "1"})
        for number in range(60):
            channel = channels[number % 2]
            writer.add_message(
                channel,
                log_time=1000 + number * 10,
                data=bytes(range(number)),
                publish_time=900 + number,
                sequence=number,
            )
        writer.finish()
    read(path)


def plain(value):
    """A decoded message as JSON: fields by name, bytes in hexadecimal."""
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "DESCRIPTOR"):
        return {field.name: plain(getattr(value, field.name)) for field in value.DESCRIPTOR.fields}
    if getattr(value, "__slots__", None):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if hasattr(value, "__dict__"):
        return {name: plain(item) for name, item in vars(value).items()}
    return [plain(item) for item in value]


def decode(path):
    from mcap_protobuf.decoder import DecoderFactory as Protobuf
    from mcap_ros2.decoder import DecoderFactory as ROS2

    factories = [Protobuf(), ROS2()]
    with open(path, "rb") as file:
        reader = SeekingReader(file, validate_crcs=True, decoder_factories=factories)
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if channel.message_encoding == "json":
                value = json.loads(message.data)
            else:
                decoder = next(
                    found
                    for factory in factories
                    if (found := factory.decoder_for(channel.message_encoding, schema))
                )
                value = decoder(message.data)
            name = schema.name if schema else "-"
            print(channel.topic, name, message.log_time, json.dumps(plain(value)), sep="\t")


if __name__ == "__main__":
    {"read": read, "write": write, "decode": decode}[sys.argv[1]](*sys.argv[2:])
