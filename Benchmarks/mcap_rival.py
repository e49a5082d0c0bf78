"""Writes and reads accelerations as sensor_msgs/msg/Imu with Python's mcap and mcap-ros2-support.

    mcap_rival.py FOLDER COUNT SCHEMA      prints nanoseconds per message: written plain, with zstd, and read
"""

import sys
import time

from mcap.writer import CompressionType
from mcap_ros2.reader import read_ros2_messages
from mcap_ros2.writer import Writer

folder, count = sys.argv[1], int(sys.argv[2])
definition = open(sys.argv[3]).read()


def write(path, compression):
    vector = {"x": 0.0, "y": 0.0, "z": 0.0}
    unknown = [0.0] * 9
    start = time.perf_counter_ns()
    with open(path, "wb") as file:
        writer = Writer(file, compression=compression)
        schema = writer.register_msgdef("sensor_msgs/msg/Imu", definition)
        for number in range(count):
            instant = number * 5_000_000
            message = {
                "header": {
                    "stamp": {
                        "sec": instant // 1_000_000_000,
                        "nanosec": instant % 1_000_000_000,
                    },
                    "frame_id": "iio/acceleration",
                },
                "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
                "orientation_covariance": unknown,
                "angular_velocity": vector,
                "angular_velocity_covariance": unknown,
                "linear_acceleration": {"x": number / 7, "y": -0.5, "z": 9.81 - number % 13},
                "linear_acceleration_covariance": unknown,
            }
            writer.write_message(
                "/iio/acceleration", schema, message, log_time=instant, publish_time=instant
            )
        writer.finish()
    return (time.perf_counter_ns() - start) / count


def read(path):
    start = time.perf_counter_ns()
    total = 0.0
    found = 0
    for message in read_ros2_messages(path):
        total += message.ros_msg.linear_acceleration.x
        found += 1
    assert found == count and total > 0
    return (time.perf_counter_ns() - start) / count


print(write(f"{folder}/rival.mcap", CompressionType.NONE))
print(write(f"{folder}/rival-zstd.mcap", CompressionType.ZSTD))
print(read(f"{folder}/rival.mcap"))
