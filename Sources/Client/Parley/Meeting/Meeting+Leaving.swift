import Basics

extension Meeting {
  /// Leaves: notifies the server, stops every source, and closes sockets. Returns when the server knows, or after a
  /// second; while the meeting is being joined, after half of one, and ``join()`` ends with ``JoinError/cancelled``.
  /// Chat messages and signals that wait for their turn are sent before the goodbye, for two seconds at most;
  /// everything else ends at once, and the others see tracks muted until they hear of the goodbye. Safe at any time,
  /// also twice: every call waits for the same end.
  ///
  /// ```swift
  /// await meeting.leave()
  /// ```
  public func leave() async {
    if let leaving { return await leaving.value }
    guard state != .ended else { return }
    let (channel, joining) = (signaling?.channel, joining)
    // The goodbye would overtake messages from right before it.
    let last = takeLastTurns()
    if last.isEmpty { channel?.send(.leave) } else { stopShowing(over: channel) }
    let limiter = queue.rateLimiter
    let patience = joining == nil ? TimeSpan.seconds(1) : .milliseconds(500)
    // A task of its own, so that cancelling one caller does not cut the goodbye short.
    let goodbye = Task {
      if let channel {
        if !last.isEmpty {
          await limiter.send(last, over: channel)
          channel.send(.leave)
        }
        self.isGoodbyeHeard = await Self.waitForClosing(of: channel, within: patience)
      }
      _ = await joining?.value
    }
    leaving = goodbye
    PendingLeaves.add(goodbye)
    end(.left, message: "You left the meeting.")
    await goodbye.value
  }

  /// Notifies the others that nothing comes any more: they would see the last frame until the goodbye.
  private func stopShowing(over channel: SignalingChannel?) {
    for publication in local.publications where !publication.isMuted {
      if let mid = publication.mid { channel?.send(.mute(mid: mid.rawValue, muted: true)) }
    }
  }

  /// The server closes the socket when it has taken the message. One that does not is left to close by itself. Returns
  /// whether the server closed it.
  private static func waitForClosing(of channel: SignalingChannel, within limit: TimeSpan) async -> Bool {
    let (over, continuation) = AsyncStream.makeStream(of: Bool.self)
    let closing = Task {
      continuation.yield(await channel.closed())
      continuation.finish()
    }
    let timer = Task {
      try? await Task.sleep(nanoseconds: UInt64(limit.nanoseconds))
      channel.close()
      continuation.yield(false)
      continuation.finish()
    }
    defer {
      timer.cancel()
      closing.cancel()
    }
    for await isHeard in over { return isHeard }
    return false
  }

  /// The meeting is over: everything is given back.
  func end(_ reason: EndReason, message: String) {
    guard state != .ended else { return }
    state = .ended
    waitingReason = nil
    endReason = reason
    if reason != .left { signaling?.channel.close() }
    endTurns()
    giveBack()
    failNegotiation()
    failRequests()
    emit(.ended(reason, message: message))
    feed.finish()
  }

  /// Stops everything that runs for this meeting: sources, media, tasks.
  func giveBack() {
    signaling = nil
    dropSubscriptions()
    local.stop()
    connection?.close()
    connection = nil
    joining?.cancel()
    joinDeadline?.cancel()
    reconnectTimeout?.cancel()
    tasks.cancel()
    mediaWaiters.wake(false)
    dataWaiters.wake(false)
  }
}
