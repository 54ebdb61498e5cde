extension Meeting {
  /// Leaves: tells the server, stops every source, and closes sockets. Safe at any time, also twice. Returns when the server knows,
  /// or after a second.
  ///
  /// ```swift
  /// await meeting.leave()
  /// ```
  public func leave() async {
    guard state != .ended else { return }
    let channel = place?.channel
    channel?.send(.leave)
    end(.left, message: "You left the meeting.")
    guard let channel else { return }
    // The server closes the socket when it has taken the message.
    let late = Task {
      try? await Task.sleep(nanoseconds: 1_000_000_000)
      channel.close()
    }
    await channel.closed()
    late.cancel()
  }

  /// The meeting is over: everything is given back.
  func end(_ reason: EndReason, message: String) {
    guard state != .ended else { return }
    state = .ended
    endReason = reason
    if reason != .left { place?.channel.close() }
    giveBack()
    failNegotiation()
    emit(.ended(reason, message: message))
    for reader in readers.values { reader.finish() }
    readers = [:]
  }

  /// Stops everything that runs for this meeting: sources, media, tasks.
  func giveBack() {
    place = nil
    dropSubscriptions()
    local.stop()
    connection?.close()
    connection = nil
    joining?.cancel()
    patience?.cancel()
    for task in tasks { task.cancel() }
    tasks = []
    mediaWaiters.wake(false)
    dataWaiters.wake(false)
  }
}
