"""Writes and reads accelerations as sensor_msgs/msg/Imu with Python's mcap and mcap-ros2-support.

    mcap_rival.py FOLDER COUNT SCHEMA [DETAILS]

prints nanoseconds per reading: written plain, with zstd, and read. With DETAILS, each has a second message
of that schema.
"""

import sys
import time

from mcap.writer import CompressionType
from mcap_ros2.reader import read_ros2_messages
from mcap_ros2.writer import Writer

folder, count = sys.argv[1], int(sys.argv[2])
definition = open(sys.argv[3]).read()
details = open(sys.argv[4]).read() if len(sys.argv) > 4 else None


def write(path, compression):
    vector = {"x": 0.0, "y": 0.0, "z": 0.0}
    unknown = [0.0] * 9
    start = time.perf_counter_ns()
    with open(path, "wb") as file:
        writer = Writer(file, compression=compression)
        schema = writer.register_msgdef("sensor_msgs/msg/Imu", definition)
        second = details and writer.register_msgdef("sensorium/msg/Acceleration", details)
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
            if second is None:
                continue
            message = {
                "known": 15,
                "measured_ns": instant,
                "original_ns": 1_700_000_000_000_000_000 + instant,
                "original_clock": 1,
                "uncertainty_s": 4e-5,
                "time_source": 0,
                "flags": 0,
                "acceleration_x_m_s2": number / 7,
                "acceleration_y_m_s2": -0.5,
                "acceleration_z_m_s2": 9.81 - number % 13,
                "accuracy": float("nan"),
                "accuracy_confidence": 0,
            }
            writer.write_message(
                "/iio/acceleration/details",
                second,
                message,
                log_time=instant,
                publish_time=instant,
            )
        writer.finish()
    return (time.perf_counter_ns() - start) / count


def read(path):
    start = time.perf_counter_ns()
    total = 0.0
    found = 0
    for message in read_ros2_messages(path, log_time_order=False):
        if message.channel.topic == "/iio/acceleration":
            total += message.ros_msg.linear_acceleration.x
            found += 1
        else:
            total += message.ros_msg.original_ns
    assert found == count and total > 0
    return (time.perf_counter_ns() - start) / count


print(write(f"{folder}/rival.mcap", CompressionType.NONE))
print(write(f"{folder}/rival-zstd.mcap", CompressionType.ZSTD))
print(read(f"{folder}/rival.mcap"))
