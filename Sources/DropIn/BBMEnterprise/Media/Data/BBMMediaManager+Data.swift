// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import Messaging
import MessagingClient
import Parley

extension BBMMediaManager {
  /// Offers an identity a data connection. The callback gets the connection, or why there is none; the delegates hear
  /// of it when it is accepted.
  /// - Parameter metaData: For the other side's app, sealed; at most 4 KB.
  public func startDataConnection(
    _ regId: NSNumber!, metaData: String!, callback: (@MainActor (BBMDataConnection?, BBMMediaError) -> Void)!
  ) {
    guard isStarted else { return callback?(nil, kMediaErrorNotReady) ?? () }
    place(regId, .data, metadata: metaData) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let call):
        let connection = BBMDataConnection(call.id, peer: call.peer, incoming: false, metaData: metaData)
        connections[call.id] = DataCall(connection, with: call.peer)
        callback?(connection, kMediaErrorNoError)
      case .failure(let error): callback?(nil, error)
      }
    }
  }

  /// Takes notice of an offered connection, which can be accepted then. Each call is reported to the delegates.
  public func dataConnectionSetupComplete(_ connection: BBMDataConnection!) {
    guard let connection, connections[connection.id] != nil, connection.incoming else { return }
    step(connection.id) { try await $0.ring($1) }
    notify { $0.incomingDataConnectionAvailable(connection) }
  }

  /// Accepts an offered connection.
  public func accept(_ connection: BBMDataConnection!) {
    guard let connection, let data = connections[connection.id], connection.incoming, !data.isAccepted else { return }
    data.isAccepted = true
    answer(connection.id) { [weak self] in self?.fail(data, $0) }
  }

  /// Ends a connection, or declines an offered one.
  public func end(_ connection: BBMDataConnection!) {
    guard let connection, let data = connections[connection.id] else { return }
    if connection.incoming, !data.isAccepted {
      step(connection.id) { try await $0.decline($1, isBusy: false) }
    } else {
      step(connection.id) { try await $0.hangUp($1) }
    }
    finish(data, .hungUp)
  }

  // MARK: Events of the service

  /// Connections with one identity at once, offered ones included: each may hold as much as ``ChannelLoad`` says.
  static let connectionsPerPeer = 4

  /// Whether there may be another connection with an identity.
  func hasRoom(for peer: RegID) -> Bool {
    let placed = placing.count { $0.medium == .data && $0.peer == peer }
    return placed + connections.values.count { $0.peer == peer } < Self.connectionsPerPeer
  }

  func offeredData(_ call: Call) {
    guard hasRoom(for: call.peer) else { return step(call.id) { try await $0.decline($1, isBusy: true) } }
    let connection = BBMDataConnection(call.id, peer: call.peer, incoming: true, metaData: call.metadata)
    connections[call.id] = DataCall(connection, with: call.peer)
    notify { $0.incomingDataConnectionOffered(connection) }
  }

  func connect(_ data: DataCall, _ access: CallMeeting) {
    guard data.session == nil else { return }
    data.isAccepted = true
    let session = makeSession(access)
    data.session = session
    let pump = DataPump { [meeting = session.meeting] packet throws(JoinError) in
      try await meeting.send(packet, topic: CallSession.topic)
    }
    let failed: (BBMMediaError) -> Void = { [weak self, weak data] error in
      guard let self, let data else { return }
      step(data.connection.id) { try await $0.hangUp($1) }
      fail(data, error)
    }
    pump.failed = { failed(kMediaFailureMediaSetup) }
    session.start(
      CallSession.Handlers(
        connected: { [weak self] in self?.connected(data, pump) }, failed: failed, received: { pump.receive($0) },
        reconnected: { pump.reconnected() }))
  }

  private func connected(_ data: DataCall, _ pump: DataPump) {
    guard connections[data.connection.id] === data else { return }
    data.connection.follow(pump)
    data.connection.connected = true
    notify { $0.dataConnectionAccepted(data.connection) }
    // The delegates have set the callbacks, or have ended the connection.
    guard connections[data.connection.id] === data else { return }
    pump.start()
  }

  func finish(_ data: DataCall, _ end: CallEnd) {
    switch end {
    case .lost: fail(data, data.connection.connected ? kMediaFailureDisconnected : kMediaFailureNetwork)
    case .declined, .busy, .unanswered, .answeredElsewhere, .declinedElsewhere, .hungUp: close(data)
    }
  }

  func fail(_ data: DataCall, _ error: BBMMediaError) {
    guard connections[data.connection.id] === data else { return }
    data.connection.failureReason = error
    close(data)
  }

  private func close(_ data: DataCall) {
    guard connections.removeValue(forKey: data.connection.id) === data else { return }
    data.connection.close()
    data.session?.leave()
    if data.connection.failureReason != kMediaErrorNoError { notify { $0.dataConnectionFailed(data.connection) } }
    notify { $0.dataConnectionEnded(data.connection) }
  }
}
