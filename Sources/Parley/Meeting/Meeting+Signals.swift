import Signaling

extension Meeting {
  /// The most bytes of a signal's data in UTF-8.
  ///
  /// ```swift
  /// let fits = text.utf8.count <= Meeting.maximumSignalData
  /// ```
  public static let maximumSignalData = Signal.maximumData

  /// Sends a signal: a short message of the app's own that is kept nowhere. Everybody gets it, this client included, or one participant does;
  /// receivers see ``MeetingEvent/signal(_:)``.
  ///
  /// It goes over the signalling connection, so it needs no media. While that connection is down it waits, 100 signals at most.
  ///
  /// ```swift
  /// try meeting.signal(type: "raise-curtain", data: "2")
  /// try meeting.signal(type: "whisper", data: "psst", to: participant)
  /// ```
  ///
  /// - Parameters:
  ///   - type: What it is about, for receivers to tell signals apart: at most 128 letters of ASCII, digits, `-`, `_` and `~`.
  ///   - data: The content, at most ``maximumSignalData`` bytes.
  ///   - recipient: The one who is to get it; nil for everybody.
  ///   - waits: Whether it waits for a connection that is being brought back; otherwise it is dropped then.
  /// - Throws: ``JoinError/refused(code:message:)`` for what can never be sent, ``JoinError/ended``.
  public func signal(
    type: String = "", data: String = "", to recipient: RemoteParticipant? = nil, waits: Bool = true
  ) throws(JoinError) {
    guard state != .ended else { throw .ended }
    let signal = Signal(type: type, data: data)
    if let problem = signal.problem {
      throw .refused(code: problem == .badType ? "badMessage" : "tooLarge", message: problem.description)
    }
    let message = ClientMessage.signal(signal, to: recipient?.id, id: nextID())
    guard !joinedOnce || connectionState.signalingDown || connectionState.rejoining else { return send(message) }
    guard waits else { return }
    waitingSignals.append(message)
    if waitingSignals.count > Self.maximumWaitingSignals { waitingSignals.removeFirst() }
  }

  /// Most signals that wait for the signalling to come back.
  static let maximumWaitingSignals = 100

  /// Sends what has waited for a connection.
  func sendWaitingSignals() {
    let waiting = waitingSignals
    waitingSignals = []
    for message in waiting { send(message) }
  }

  func takeSignal(_ signal: Signal, from id: String?) {
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
  /// Who sent it, oneself included; nil for the app's server, and for somebody who has left meanwhile.
  ///
  /// ```swift
  /// if let sender = signal.sender { print("\(sender.name) says \(signal.data)") }
  /// ```
  public let sender: (any Participant)?

  /// The sender's id, set by the server; nil for the app's server.
  ///
  /// ```swift
  /// let isOurs = signal.senderID == meeting.local.id
  /// ```
  public let senderID: String?

  /// What it is about; empty when the sender did not say.
  ///
  /// ```swift
  /// guard signal.type == "raise-curtain" else { return }
  /// ```
  public let type: String

  /// The content.
  ///
  /// ```swift
  /// let scene = Int(signal.data)
  /// ```
  public let data: String
}
