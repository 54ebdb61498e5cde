import Basics

/// The wait for ICE and DTLS at the end of a join.
extension Meeting {
  /// Waits for ICE and DTLS; after a while asks for an ICE restart, and gives up after twice the time.
  func untilMediaFlows() async throws(JoinError) {
    for attempt in 0..<2 {
      if await mediaFlows(within: options.steps.joining) { return }
      try ensureGoingOn()
      if serverProblems.isWithoutRelay { break }
      if attempt == 0 { restartMedia() }
    }
    if let relay = serverProblems.relay {
      throw .relayFailed(url: relay.url, relay.error)
    }
    var reason = await unreachedAddresses()
    if let problems = serverProblems.text { reason = problems }
    throw .mediaFailed("The meeting was found, but no way for sound and pictures to its server. \(reason)")
  }

  /// The addresses of the server that were tried in vain, in words. The cause can be on either side.
  private func unreachedAddresses() async -> String {
    let tried = await connection?.call { session, _ in session.serverAddresses } ?? []
    guard !tried.isEmpty else {
      return "It names no address that media could be sent to; its log says why (media.noAddress)."
    }
    let names =
      tried.prefix(4).map(\.text).joined(separator: ", ") + (tried.count > 4 ? " and \(tried.count - 4) more" : "")
    return
      "None of the addresses that it names answers (\(names)). A firewall between may block UDP and TCP there, or the server names "
      + "addresses that do not lead to it from here (its options --public-address and --media-host)."
  }

  private func mediaFlows(within limit: TimeSpan) async -> Bool {
    if connectionState.mediaUp { return true }
    // A waiter of after the end wouldn't be woken any more.
    guard state != .ended, !Task.isCancelled, !serverProblems.isWithoutRelay else { return false }
    return await mediaWaiters.wait(within: limit)
  }
}
