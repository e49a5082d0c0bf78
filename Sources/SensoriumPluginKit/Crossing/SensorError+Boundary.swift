import CSensorium
import Sensorium

extension SensorError {
    /// Copies a failure of a plugin; nil for NULL.
    ///
    /// - Parameter id: the sensor that the call was about.
    init?(_ failure: UnsafePointer<sensorium_failure>?, about id: SensorID) {
        guard let failure = failure?.pointee else { return nil }
        let sensor = LentText.copyUnlessEmpty(failure.sensor_id).map { SensorID($0) } ?? id
        let reason = LentText.copyUnlessEmpty(failure.reason) ?? "the plugin gives no reason"
        let hint = LentText.copy(failure.hint) ?? ""
        switch Int(failure.code) {
        case SENSORIUM_FAILURE_UNAVAILABLE:
            self = .unavailable(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_DENIED:
            self = .denied(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_BUSY:
            self = .busy(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_DISCONNECTED:
            self = .disconnected(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_TIMED_OUT:
            self = .timedOut(sensor, after: .nanoseconds(max(0, failure.after_ns)), hint: hint)
        case SENSORIUM_FAILURE_CANCELLED:
            self = .cancelled(sensor)
        case SENSORIUM_FAILURE_MALFORMED:
            self = .malformed(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_UNSUPPORTED:
            self = .unsupported(sensor, reason: reason, hint: hint)
        case SENSORIUM_FAILURE_INCOMPATIBLE:
            self = .incompatible(sensor, reason: reason, hint: hint)
        default:
            self = .pluginFault(sensor, reason: reason, hint: hint)
        }
    }

    private var boundaryCode: Int {
        switch self {
        case .unavailable: SENSORIUM_FAILURE_UNAVAILABLE
        case .denied: SENSORIUM_FAILURE_DENIED
        case .busy: SENSORIUM_FAILURE_BUSY
        case .disconnected: SENSORIUM_FAILURE_DISCONNECTED
        case .timedOut: SENSORIUM_FAILURE_TIMED_OUT
        case .cancelled: SENSORIUM_FAILURE_CANCELLED
        case .malformed: SENSORIUM_FAILURE_MALFORMED
        case .unsupported: SENSORIUM_FAILURE_UNSUPPORTED
        case .incompatible: SENSORIUM_FAILURE_INCOMPATIBLE
        case .pluginFault: SENSORIUM_FAILURE_PLUGIN
        }
    }

    /// Lends an error to a host; NULL where there is none.
    static func withBoundaryForm(
        _ error: SensorError?, _ body: (UnsafePointer<sensorium_failure>?) -> Void
    ) {
        guard let error else { return body(nil) }
        var after: Int64 = 0
        if case .timedOut(_, let duration, _) = error { after = duration.wholeNanoseconds }
        error.sensor.rawValue.withCString { sensor in
            error.reason.withCString { reason in
                error.hint.withCString { hint in
                    var failure = sensorium_failure(
                        size: UInt32(MemoryLayout<sensorium_failure>.size),
                        code: UInt32(error.boundaryCode), sensor_id: sensor, reason: reason,
                        hint: hint, after_ns: after)
                    body(&failure)
                }
            }
        }
    }
}

extension SensorStatus {
    /// Copies a status; nil for NULL and for a state that nobody knows.
    init?(_ status: UnsafePointer<sensorium_status>?) {
        guard let status = status?.pointee, let code = UInt8(exactly: status.state),
            let state = State(rawValue: code)
        else { return nil }
        self.init(
            state, reason: LentText.copy(status.reason) ?? "",
            hint: LentText.copy(status.hint) ?? "")
    }

    /// Lends a status to a host.
    func withBoundaryForm(_ body: (UnsafePointer<sensorium_status>) -> Void) {
        reason.withCString { reason in
            hint.withCString { hint in
                var status = sensorium_status(
                    size: UInt32(MemoryLayout<sensorium_status>.size),
                    state: UInt32(state.rawValue), reason: reason, hint: hint)
                body(&status)
            }
        }
    }
}

extension ReadingLoss {
    /// Copies losses; nil for NULL and for none.
    ///
    /// A reason that nobody knows is the device's.
    init?(_ losses: UnsafePointer<sensorium_losses>?) {
        guard let losses = losses?.pointee, losses.count > 0 else { return nil }
        let reason = UInt8(exactly: losses.reason).flatMap { Reason(rawValue: $0) } ?? .device
        self.init(count: Int(clamping: losses.count), reason: reason)
    }
}

extension SamplingRequest {
    /// Copies the request of a host.
    init(_ request: sensorium_request) {
        let capacity = Int(clamping: request.capacity)
        self.init(
            rate: LentNumber.rate(request.rate),
            maxLatency: .nanoseconds(max(0, request.max_latency_ns)),
            buffering: request.keep_oldest != 0 ? .oldest(capacity) : .newest(capacity))
    }

    /// The request as a plugin gets it.
    var boundaryForm: sensorium_request {
        var keepsOldest: UInt32 = 0
        if case .oldest = buffering { keepsOldest = 1 }
        return sensorium_request(
            size: UInt32(MemoryLayout<sensorium_request>.size), keep_oldest: keepsOldest,
            rate: rate ?? 0, max_latency_ns: max(0, maxLatency.wholeNanoseconds),
            capacity: UInt64(clamping: buffering.capacity))
    }
}
