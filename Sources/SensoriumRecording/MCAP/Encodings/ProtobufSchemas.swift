/// The Foxglove schemas that are written here, as descriptors of their files.
enum ProtobufSchemas {
    /// What a field holds, by the numbers of `FieldDescriptorProto.Type`.
    private enum Kind: UInt64 {
        case double = 1
        case int64 = 3
        case int32 = 5
        case fixed32 = 7
        case string = 9
        case message = 11
        case bytes = 12
        case enumeration = 14
    }

    private typealias Field = (
        name: String, number: UInt64, kind: Kind, type: String, isRepeated: Bool
    )

    static let locationFix = schema(
        "LocationFix",
        [
            ("latitude", 1, .double, "", false), ("longitude", 2, .double, "", false),
            ("altitude", 3, .double, "", false), ("position_covariance", 4, .double, "", true),
            (
                "position_covariance_type", 5, .enumeration,
                ".foxglove.LocationFix.PositionCovarianceType", false
            ), ("timestamp", 6, .message, ".google.protobuf.Timestamp", false),
            ("frame_id", 7, .string, "", false),
        ],
        enumeration: (
            "PositionCovarianceType", ["UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"]
        ))

    static let rawImage = schema(
        "RawImage",
        [
            ("timestamp", 1, .message, ".google.protobuf.Timestamp", false),
            ("width", 2, .fixed32, "", false), ("height", 3, .fixed32, "", false),
            ("encoding", 4, .string, "", false), ("step", 5, .fixed32, "", false),
            ("data", 6, .bytes, "", false), ("frame_id", 7, .string, "", false),
        ])

    static let compressedImage = schema(
        "CompressedImage",
        [
            ("timestamp", 1, .message, ".google.protobuf.Timestamp", false),
            ("data", 2, .bytes, "", false), ("format", 3, .string, "", false),
            ("frame_id", 4, .string, "", false),
        ])

    /// A set of two files: that of the message, and that of `Timestamp`.
    private static func schema(
        _ name: String, _ fields: [Field], enumeration: (name: String, values: [String])? = nil
    ) -> MessageSchema {
        let timestamp = "google/protobuf/timestamp.proto"
        let set = ByteBuffer(capacity: 1024)
        set.field(1) { file in
            file.field(1, timestamp)
            file.field(2, "google.protobuf")
            file.field(4) { message in
                message.field(1, "Timestamp")
                add(
                    [("seconds", 1, .int64, "", false), ("nanos", 2, .int32, "", false)],
                    to: message)
            }
            file.field(12, "proto3")
        }
        set.field(1) { file in
            file.field(1, "foxglove/\(name).proto")
            file.field(2, "foxglove")
            file.field(3, timestamp)
            file.field(4) { message in
                message.field(1, name)
                add(fields, to: message)
                if let enumeration {
                    message.field(4) { list in
                        list.field(1, enumeration.name)
                        for (number, value) in enumeration.values.enumerated() {
                            list.field(2) { entry in
                                entry.field(1, value)
                                entry.field(2, UInt64(number))
                            }
                        }
                    }
                }
            }
            file.field(12, "proto3")
        }
        return MessageSchema(
            name: "foxglove.\(name)", encoding: "protobuf", text: Array(set.bytes))
    }

    private static func add(_ fields: [Field], to message: ByteBuffer) {
        for field in fields {
            message.field(2) { entry in
                entry.field(1, field.name)
                entry.field(3, field.number)
                entry.field(4, field.isRepeated ? 3 : 1)
                entry.field(5, field.kind.rawValue)
                if !field.type.isEmpty { entry.field(6, field.type) }
            }
        }
    }
}
