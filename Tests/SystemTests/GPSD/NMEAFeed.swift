import Glibc
import Sensorium

/// Plays a receiver: sends NMEA sentences to a UDP port or into a file, one epoch every 200 ms, until it
/// is ended.
final class NMEAFeed: Sendable {
    private struct State {
        var isPaused = false
        var next: [UInt8] = []
    }

    private enum Destination {
        case port(UInt16)
        case line(String)
    }

    private let destination: Destination
    private let latitude: Double
    private let offset: Int64
    private let clock = SystemClock()
    private let state = Guarded(State())
    private let task = Guarded<Task<Void, Never>?>(nil)

    /// Starts to send to a UDP port.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, whole minutes; the longitude is 20.5 east.
    ///   - offset: what to add to this host's UTC, in seconds.
    convenience init(to port: UInt16, latitude: Double = 10.25, offset: Int64 = 0) {
        self.init(.port(port), latitude: latitude, offset: offset)
    }

    /// Starts to write into the file `line`: the other end of a serial line.
    convenience init(line: String) { self.init(.line(line), latitude: 10.25, offset: 0) }

    private init(_ destination: Destination, latitude: Double, offset: Int64) {
        self.destination = destination
        self.latitude = latitude
        self.offset = offset
        let started = clock.spawn("NMEA feed") { [weak self] in
            while let self, !Task.isCancelled {
                self.sendEpoch()
                await self.clock.pause(for: .milliseconds(200))
            }
        }
        task.withLock { $0 = started }
    }

    deinit { task.withLock { $0 }?.cancel() }

    /// Sends no more until `resume`.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Sends again.
    func resume() { state.withLock { $0.isPaused = false } }

    /// Sends these bytes as they are, instead of the next epoch.
    func add(_ bytes: [UInt8]) { state.withLock { $0.next += bytes } }

    /// Stops for good.
    func end() async {
        let running = task.withLock { $0.take() }
        running?.cancel()
        await running?.value
    }

    private func sendEpoch() {
        let (isPaused, extra) = state.withLock { state in
            defer { state.next = [] }
            return (state.isPaused, state.next)
        }
        if !extra.isEmpty { return sendAll(extra) }
        if !isPaused { sendAll(epoch()) }
    }

    private func sendAll(_ bytes: [UInt8]) {
        switch destination {
        case .port(let port): send(bytes, to: port)
        case .line(let path):
            // A line that nobody reads loses what it cannot hold.
            let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            _ = Glibc.write(file, bytes, bytes.count)
            close(file)
        }
    }

    private func send(_ bytes: [UInt8], to port: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        var name = LoopbackPort.address(port)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The sentences of one epoch: position, mode, and eight satellites.
    private func epoch() -> [UInt8] {
        guard let utc = clock.sample(.realtime)?.time.nanoseconds else { return [] }
        var seconds = time_t(utc / 1_000_000_000 + offset)
        var date = tm()
        gmtime_r(&seconds, &date)
        let hundredths = utc % 1_000_000_000 / 10_000_000
        let time =
            [date.tm_hour, date.tm_min, date.tm_sec].map { Self.digits(Int($0), 2) }.joined() + "."
            + Self.digits(Int(hundredths), 2)
        let day = [date.tm_mday, date.tm_mon + 1, date.tm_year % 100]
            .map { Self.digits(Int($0), 2) }.joined()
        let minutes = Int((latitude * 60).rounded())
        let place =
            "\(Self.digits(minutes / 60, 2))\(Self.digits(minutes % 60, 2)).0000,N,02030.0000,E"
        let sentences = [
            "GPRMC,\(time),A,\(place),1.0,90.0,\(day),,,A",
            "GPGGA,\(time),\(place),1,08,1.0,100.0,M,40.0,M,,",
            "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5",
            "GPGSV,2,1,08,01,10,020,30,02,20,040,31,03,30,060,32,04,40,080,33",
            "GPGSV,2,2,08,05,50,100,34,06,60,120,35,07,70,140,36,08,80,160,37",
        ]
        return sentences.flatMap { Self.sentence($0) }
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// The bytes of a sentence, with its checksum.
    private static func sentence(_ body: String) -> [UInt8] {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return Array("$\(body)*\(sum.utf8.count == 1 ? "0" : "")\(sum)\r\n".utf8)
    }
}
