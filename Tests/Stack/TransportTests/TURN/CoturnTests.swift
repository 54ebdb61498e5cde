import Basics
import COpenSSL
import Foundation
import RTC
import TestSupport
import Testing
import Transport

/// A client that may use nothing but a TURN server, here a real coturn, reaches a server on loopback.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: Coturn.program != nil, "coturn is not installed"))
struct CoturnTests {
  /// Sends until 50 packets have come each way. A datagram may be lost on a busy machine, and nothing repairs it here.
  private func expectMedia(_ call: RelayedCall) async {
    let before = await call.state
    await wait("the media") {
      await call.sendMedia(10)
      let state = await call.state
      return state.serverMedia >= before.serverMedia + 50 && state.clientMedia >= before.clientMedia + 50
    }
  }

  private func with(_ call: RelayedCall, _ body: () async throws -> Void) async throws {
    try await body()
    await call.stop()
    call.loop.join()
  }

  @Test("SRTP flows both ways through coturn over UDP, TCP and TLS", arguments: ["udp", "tcp", "tls"])
  func transports(kind: String) async throws {
    let coturn = try await Coturn()
    let url =
      switch kind {
      case "udp": "turn:127.0.0.1:\(coturn.port)"
      case "tcp": "turn:127.0.0.1:\(coturn.port)?transport=tcp"
      default: "turns:localhost:\(coturn.tlsPort)"
      }
    let call = try RelayedCall()
    try await with(call) {
      try await call.start(
        [IceServer(urls: [url], username: "ann", credential: Secret("secret"))], authority: coturn.certificate)
      await wait("the connection") { await call.state.isConnected }
      await expectMedia(call)
      await wait("the channel") {
        if case .channel = await call.state.route?.encapsulation { true } else { false }
      }
      await expectMedia(call)
      let state = await call.state
      #expect(state.path?.isRelayed == true && state.route?.transport == (kind == "udp" ? .udp : .tcp))
      let address = try #require(state.clientAddress)
      #expect(!state.sources.isEmpty && !state.sources.contains(address))
    }
  }

  // Two calls at once don't both get it.
  @Test("hanging up releases the address: with a quota of one the next call gets it")
  func quota() async throws {
    let coturn = try await Coturn(["user-quota=1"])
    let url = "turn:127.0.0.1:\(coturn.port)?transport=udp"
    let servers = [IceServer(urls: [url], username: "ann", credential: Secret("secret"))]
    let first = try RelayedCall()
    try await with(first) {
      try await first.start(servers)
      await wait("the first connection") { await first.state.isConnected }
      let refused = try RelayedCall()
      try await with(refused) {
        try await refused.start(servers)
        await wait("the refusal") { await refused.state.events.contains(.iceServerFailed(url: url, .quotaReached)) }
      }
      await first.hangUp()
    }
    var isConnected = false
    // coturn frees the place with its next look at its timers, about a second later; without hanging up it would be ten
    // minutes.
    let end = ContinuousClock.now + waitingLimit
    while !isConnected, ContinuousClock.now < end {
      let next = try RelayedCall()
      try await with(next) {
        try await next.start(servers)
        await wait("an answer of the server") {
          let state = await next.state
          return state.isConnected || state.events.contains(.iceServerFailed(url: url, .quotaReached))
        }
        isConnected = await next.state.isConnected
        await next.hangUp()
      }
    }
    #expect(isConnected)
  }

  @Test("short allocations and nonces are renewed as long as the call lasts")
  func refresh() async throws {
    let coturn = try await Coturn(["max-allocate-lifetime=3", "stale-nonce=2"])
    let call = try RelayedCall()
    try await with(call) {
      try await call.start([
        IceServer(urls: ["turn:127.0.0.1:\(coturn.port)"], username: "ann", credential: Secret("secret"))
      ])
      await wait("the connection") { await call.state.isConnected }
      let end = MonotonicClock.now + .seconds(9)
      while MonotonicClock.now < end {
        await expectMedia(call)
        try await Task.sleep(for: .milliseconds(500))
      }
      let state = await call.state
      #expect(state.path?.isRelayed == true && !state.events.contains(.iceConsentLost))
    }
  }

  @Test("a relay outlives its password, which then opens nothing new")
  func expiredPassword() async throws {
    let coturn = try await Coturn([
      "use-auth-secret", "static-auth-secret=north", "max-allocate-lifetime=4", "stale-nonce=3",
    ])
    // As Parley makes them, for ten seconds. The code is that of openssl's HMAC-SHA1.
    let end = Int(Date().timeIntervalSince1970) + 10
    let name = "\(end):x"
    var code = [UInt8](repeating: 0, count: 20)
    var length: UInt32 = 0
    _ = HMAC(EVP_sha1(), "north", 5, name, name.utf8.count, &code, &length)
    let url = "turn:127.0.0.1:\(coturn.port)?transport=udp"
    let servers = [IceServer(urls: [url], username: name, credential: Secret(Data(code).base64EncodedString()))]
    let call = try RelayedCall()
    try await with(call) {
      try await call.start(servers)
      await wait("the connection") { await call.state.isConnected }
      while Int(Date().timeIntervalSince1970) < end + 7 {
        await expectMedia(call)
        try await Task.sleep(for: .milliseconds(500))
      }
      #expect(await call.state.events.contains(.iceConsentLost) == false)
      let late = try RelayedCall()
      try await with(late) {
        try await late.start(servers)
        await wait("the refusal") { await late.state.events.contains(.iceServerFailed(url: url, .badCredentials)) }
      }
    }
  }

  @Test("wrong credentials are a failure in words, not a hang")
  func wrongCredentials() async throws {
    let coturn = try await Coturn()
    let url = "turn:127.0.0.1:\(coturn.port)?transport=udp"
    let call = try RelayedCall()
    try await with(call) {
      try await call.start([IceServer(urls: [url], username: "ann", credential: Secret("wrong"))])
      await wait("the failure") {
        await call.state.events.contains(.iceServerFailed(url: url, .badCredentials))
      }
      #expect(await call.state.isConnected == false)
    }
  }

  @Test("later credentials are those of the next ICE restart, of known servers")
  func otherCredentials() async throws {
    let coturn = try await Coturn()
    let url = "turn:127.0.0.1:\(coturn.port)?transport=udp"
    let call = try RelayedCall()
    try await with(call) {
      try await call.start([IceServer(urls: [url], username: "ann", credential: Secret("wrong"))])
      await wait("the failure") { await call.state.events.contains(.iceServerFailed(url: url, .badCredentials)) }
      try await call.restart([
        IceServer(urls: ["turn:127.0.0.1:1"], username: "bob", credential: Secret("other")),
        IceServer(urls: [url], username: "ann", credential: Secret("secret")),
      ])
      await wait("the connection") { await call.state.isConnected }
      #expect(await call.state.path?.isRelayed == true)
    }
  }

  @Test("a certificate that nobody vouches for is refused, and nothing is sent through")
  func untrusted() async throws {
    let coturn = try await Coturn()
    let url = "turns:localhost:\(coturn.tlsPort)?transport=tcp"
    let call = try RelayedCall()
    try await with(call) {
      try await call.start([IceServer(urls: [url], username: "ann", credential: Secret("secret"))])
      await wait("the failure") {
        await call.state.events.contains(.iceServerFailed(url: url, .connectionFailed))
      }
      let isUntrusted = await call.state.closings.contains {
        if case .untrustedCertificate = $0 { true } else { false }
      }
      #expect(isUntrusted)
    }
  }

  @Test("with every way open the direct one is taken, and the allocation is not used")
  func directPreferred() async throws {
    let coturn = try await Coturn()
    let call = try RelayedCall()
    try await with(call) {
      try await call.start(
        [IceServer(urls: ["turn:127.0.0.1:\(coturn.port)"], username: "ann", credential: Secret("secret"))],
        policy: .all)
      await wait("the connection") { await call.state.isConnected }
      await expectMedia(call)
      #expect(await call.state.path?.isRelayed == false)
    }
  }
}
