import Sensorium

/// A stream of messages in an MCAP file: one topic, one encoding, one schema.
package struct MessageChannel: Sendable, Hashable {
    /// Its name: `/phone/location`.
    package var topic: String
    /// How its messages are written: `cdr`, `protobuf` or `json`.
    package var encoding: String
    /// What its messages hold; nil for messages that have no schema.
    package var schema: MessageSchema?
    /// What else the file says of it.
    package var metadata: [String: String]

    /// Makes a channel.
    package init(
        topic: String, encoding: String, schema: MessageSchema?, metadata: [String: String] = [:]
    ) {
        self.topic = topic
        self.encoding = encoding
        self.schema = schema
        self.metadata = metadata
    }
}

/// What messages hold, in a language that other readers know.
package struct MessageSchema: Sendable, Hashable {
    /// The type's name: `foxglove.LocationFix`.
    package var name: String
    /// The language of `text`: `protobuf`, `ros2msg` or `jsonschema`.
    package var encoding: String
    /// The schema itself.
    package var text: [UInt8]

    /// Makes a schema.
    package init(name: String, encoding: String, text: [UInt8]) {
        self.name = name
        self.encoding = encoding
        self.text = text
    }
}

/// Turns the events of one sensor into messages.
///
/// One event may become several messages: one that every reader of the schema understands, and
/// one on a companion channel with what that schema has no place for.
package protocol EventEncoder: AnyObject {
    /// The sensor's channels, in an order that does not change.
    var channels: [MessageChannel] { get }
    /// Gives the messages of `event` to `sink`, all of them with the time of the event.
    func encode(_ event: RecordedEvent, to sink: any MessageSink) throws(RecordingError)
}

/// Takes messages.
package protocol MessageSink: AnyObject {
    /// Takes the payload of one message of the encoder's channel of that index.
    func take(channel: Int, payload: UnsafeRawBufferPointer) throws(RecordingError)
}

/// Turns the messages of one sensor, or of sensors that share messages, back into events.
///
/// It may keep a message until the one on the companion channel has come, or the next message.
package protocol EventDecoder: AnyObject {
    /// The sensors that the channels are of: one, but for messages that hold several readings.
    var sensors: [RecordedSensor] { get }
    /// The sensor of which each message of a channel is a reading, and the only one of it; nil where
    /// that is not so.
    func sensorRead(channel: Int) -> SensorID?
    /// Takes a message of the decoder's channel of that index.
    ///
    /// - Parameter time: its log time: an instant of the recording's clock.
    /// - Returns: the events that are whole now; empty where the message makes no sense, which is
    ///   counted in `faults`.
    func decode(channel: Int, time: SensorInstant, payload: UnsafeRawBufferPointer)
        -> [RecordedEvent]
    /// The events that still wait for a companion, at the end of the file or before a seek.
    func drain() -> [RecordedEvent]
    /// How many messages made no sense.
    var faults: Int { get }
}
