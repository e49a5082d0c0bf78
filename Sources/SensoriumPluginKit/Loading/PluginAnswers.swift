import CSensorium
import Sensorium

/// The completions that plugins owe, by the token that each was given, and the functions that they
/// call.
///
/// None of the functions captures anything: that is what makes them C functions.
enum PluginAnswers {
    /// An answer, and what the question was about.
    struct Owed<Value: Sendable>: Sendable {
        let id: SensorID
        let answer = PendingAnswer<Value>()
    }

    static let started = TokenTable<PendingAnswer<Result<PluginTable.Owned, LoadRefusal>>>()
    static let done = TokenTable<Owed<SensorError?>>()
    static let closed = TokenTable<PendingAnswer<Bool>>()
    static let answered = TokenTable<Question>()

    /// A request for authorization, which may wait for a person.
    struct Question: Sendable {
        let ticket: CallsUnderWay.Ticket
        let answer = PendingAnswer<AuthorizationStatus>()
    }

    static let onStarted: sensorium_started = { token, instance, failure in
        guard let answer = started.remove(token) else { return }
        if let instance {
            answer.give(.success(PluginTable.Owned(pointer: instance)))
        } else if let error = SensorError(failure, about: "plugin") {
            let hint = error.hint.isEmpty ? nil : error.hint
            answer.give(.failure(LoadRefusal("did not start: \(error.reason)", hint: hint)))
        } else {
            answer.give(.failure(LoadRefusal("did not start, and does not say why")))
        }
    }

    static let onDone: sensorium_done = { token, failure in
        guard let owed = done.remove(token) else { return }
        owed.answer.give(SensorError(failure, about: owed.id))
    }

    static let onClosed: sensorium_closed = { token in
        closed.remove(token)?.give(true)
    }

    static let onAnswered: sensorium_answered = { token, status in
        guard let question = answered.remove(token) else { return }
        question.answer.give(AuthorizationStatus(boundaryCode: status))
        question.ticket.end()
    }
}

extension AuthorizationStatus {
    /// A code that nobody knows claims nothing.
    init(boundaryCode code: UInt32) {
        self = UInt8(exactly: code).flatMap { Self(rawValue: $0) } ?? .notDetermined
    }
}
