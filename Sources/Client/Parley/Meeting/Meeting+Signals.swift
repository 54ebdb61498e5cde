import Signaling

extension Meeting {
  /// The most bytes of a signal's data in UTF-8.
  public static let maximumSignalData = Signal.maximumData

  /// Sends a signal: a short message of the app's own that is kept nowhere. Everybody gets it, this client included, or
  /// one participant does; receivers see ``MeetingEvent/signal(_:)``. ``sendSignal(type:data:to:waits:)`` does the same
  /// and returns when the server has passed it on; a failure of this one is reported as ``MeetingEvent/problem(_:)``.
  ///
  /// It goes over the signalling connection, so it needs no media. 100 go out at once and 40 a second, chat messages
  /// included; the others wait in their order, and so does each while that connection is down. At most 1,000 may be on
  /// their way.
  ///
  /// ```swift
  /// try meeting.signal(type: "raise-curtain", data: "2")
  /// try meeting.signal(type: "whisper", data: "psst", to: participant)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The subject, by which receivers distinguish signals: at most 128 letters of ASCII, digits, `-`, `_` and
  ///     `~`.
  ///   - data: The content, at most ``maximumSignalData`` bytes.
  ///   - recipient: The one who is to get it; nil for everybody.
  ///   - waits: Whether it waits for a connection that is being brought back; otherwise it is an error then.
  /// - Throws: ``JoinError/refused(code:message:)`` for what can never be sent, and with the code `tooFast` when 1,000
  ///   are on their way already; ``JoinError/unreachable(_:)`` where it must not wait for the connection;
  ///   ``JoinError/ended``.
  public func signal(
    type: String = "", data: String = "", to recipient: RemoteParticipant? = nil, waits: Bool = true
  ) throws(JoinError) {
    try signal(type: type, data: data, to: recipient, waits: waits) { [weak self] result in
      // The end of the meeting is reported anyway.
      guard case .failure(let error) = result, error != .ended else { return }
      self?.emit(.problem("A signal was not passed on: \(error)"))
    }
  }

  /// Sends a signal as ``signal(type:data:to:waits:)`` does, and returns when the server has passed it on.
  ///
  /// ```swift
  /// do { try await meeting.sendSignal(type: "raise-curtain", data: "2") } catch {
  ///   print("The curtain stays down: \(error)")
  /// }
  /// ```
  ///
  /// - Parameters: As those of ``signal(type:data:to:waits:)``.
  /// - Throws: The errors of ``signal(type:data:to:waits:)``, and later ones: ``JoinError/refused(code:message:)`` with
  ///   `notAllowed` for a sender who may not send data (``ParticipantPermission/data``) and a recipient who may not
  ///   receive it, with `badMessage` for a recipient who has left; ``JoinError/unreachable(_:)`` and
  ///   ``JoinError/timedOut(_:)`` when the connection was lost before the answer or none came within 30 s, and
  ///   ``JoinError/cancelled`` for a cancelled task: it may have arrived then.
  public func sendSignal(
    type: String = "", data: String = "", to recipient: RemoteParticipant? = nil, waits: Bool = true
  ) async throws(JoinError) {
    guard !Task.isCancelled else { throw .cancelled }
    // Known before it is sent, so that cancelling finds it.
    let id = nextID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, JoinError>, Never>) in
        do throws(JoinError) {
          try signal(type: type, data: data, to: recipient, waits: waits, id: id) { continuation.resume(returning: $0) }
        } catch { continuation.resume(returning: .failure(error)) }
      }
    } onCancel: {
      Task { @MainActor [weak self] in self?.settle(signal: id, .failure(.cancelled)) }
    }
    try result.get()
  }

  /// The same for who waits in another way: `settled` is called once, unless this throws.
  package func signal(
    type: String, data: String, to recipient: RemoteParticipant?, waits: Bool, id: Int? = nil,
    settled: @escaping @MainActor (Result<Void, JoinError>) -> Void
  ) throws(JoinError) {
    guard state != .ended else { throw .ended }
    let signal = Signal(type: type, data: data)
    if let problem = signal.problem {
      throw .refused(code: problem == .badType ? "badMessage" : "tooLarge", message: problem.description)
    }
    guard !isEncrypted || MessageSealing.fits(signal) else {
      throw .refused(
        code: "tooLarge",
        message:
          "An encrypted signal has at most \(Self.maximumSignalData) bytes, with its type, and quotation marks and line breaks count twice."
      )
    }
    guard waits || takesTurns else { throw .unreachable("The server cannot be reached just now.") }
    guard queue.signals.count < Self.maximumUnanswered else { throw Self.tooMany("signals") }
    queue.add(
      OutgoingSignal(id: id ?? nextID(), signal: signal, recipient: recipient?.id, waits: waits, settled: settled))
    sendInTurn()
  }

  func takeSignal(_ sealed: Signal, from id: String?, mayWait: Bool = true) {
    guard let signal = opened(sealed, from: id, mayWait: mayWait) else { return }
    emit(
      .signal(
        SignalMessage(
          sender: id.flatMap { participant($0) }, senderID: id, type: signal.type, data: signal.data)))
  }
}

/// A signal that somebody sent with ``Meeting/signal(type:data:to:waits:)``, or the app's own server with the REST API.
///
/// ```swift
/// for await case .signal(let signal) in meeting.events where signal.type == "whisper" {
///   print("\(signal.sender?.name ?? "The server"): \(signal.data)")
/// }
/// ```
public struct SignalMessage: Sendable {
  /// The sender, this client included; nil for the app's server, and for somebody who has left.
  public let sender: (any Participant)?

  /// The sender's id, set by the server; nil for the app's server.
  public let senderID: String?

  /// The subject; empty when the sender gave none.
  public let type: String

  public let data: String
}
