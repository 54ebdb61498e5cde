import Basics
import Synchronization
import Testing
import Transport

@testable import Parley

/// The places that a join token reaches on its way to the server.
@Suite(.serialized) struct TokenSecrecyTests {
  /// A request to a server.
  private struct Asked: Equatable {
    var path: String
    var query: String?
    var authorization: String?
  }

  /// A server that answers every request with a discover document, and what it was asked while `body` ran.
  private func requests(_ body: (_ url: String) async throws -> Void) async throws -> [Asked] {
    let notes = Mutex<[Asked]>([])
    let server = try HTTPServer(handler: { request in
      notes.withLock {
        $0.append(Asked(path: request.path, query: request.query, authorization: request.headers["authorization"]))
      }
      let document = """
        {"version":1,"meeting":"m","subject":"m","signaling":"ws://127.0.0.1:1/signal","iceServers":[],
        "conferenceId":"c","_links":{}}
        """
      return HTTPResponse(headers: ["content-type": "application/json"], body: Array(document.utf8))
    })
    let address = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    do {
      try await body("http://127.0.0.1:\(address.port)")
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
    return notes.withLock { $0 }
  }

  /// The token that a client joins with.
  private func token(of location: MeetingLocation) async throws -> String {
    try await location.document(timeout: .seconds(10), trustsAny: false).1.value
  }

  @Test("threat 24: every token goes to the server in a header, and into no address")
  func header() async throws {
    var tokens: [String] = []
    let asked = try await requests { url in
      for address in ["\(url)/daily#jwt=a.b.c", "\(url)/daily?jwt=a.b.c"] {
        tokens.append(try await token(of: .address(try MeetingAddress(address), token: nil)))
      }
      let plain = try MeetingAddress("\(url)/daily")
      tokens.append(try await token(of: .address(plain, token: Secret("T1==a"))))
      tokens.append(try await token(of: .token(Secret("psat=a"), server: url)))
      // As `POST /GetAnonTokenJob` gives it, and as apps encode that once more; what else stands there stays.
      for context in ["psat%3da.b", "psat%253da.b"] {
        let discover = "\(url)/discover?x=1&anonymousMeetingJoinContext=\(context)#y"
        tokens.append(try await token(of: .discover(discover, token: nil)))
      }
      let discover = "\(url)/discover/daily?anonymousContext=old"
      tokens.append(try await token(of: .discover(discover, token: Secret("new"))))
    }
    #expect(tokens == ["a.b.c", "a.b.c", "T1==a", "a", "a.b", "a.b", "new"].map { "psat=\($0)" })
    #expect(
      asked == [
        Asked(path: "/discover/daily", authorization: "Bearer a.b.c"),
        Asked(path: "/discover/daily", authorization: "Bearer a.b.c"),
        Asked(path: "/discover/daily", authorization: "Bearer T1==a"),
        Asked(path: "/discover", authorization: "Bearer psat=a"),
        Asked(path: "/discover", query: "x=1", authorization: "Bearer psat=a.b"),
        Asked(path: "/discover", query: "x=1", authorization: "Bearer psat=a.b"),
        Asked(path: "/discover/daily", authorization: "Bearer new"),
      ])
  }

  @Test(
    "what would end the header and begin another is refused before anybody is asked",
    arguments: ["", "a b", "a\r\nX-Other: b", "a\u{0}", "ä"])
  func injection(_ text: String) async throws {
    var code: String?
    let asked = try await requests { url in
      do {
        _ = try await token(of: .token(Secret(text), server: url))
      } catch { code = (error as? JoinError)?.code }
    }
    #expect(asked.isEmpty && code == "badToken")
  }

  @Test("the longest token that servers take gets there", arguments: ["", "psat="])
  func long(_ prefix: String) async throws {
    let text = prefix + String(repeating: "x", count: 8_192)
    let asked = try await requests { url in _ = try await token(of: .token(Secret(text), server: url)) }
    #expect(asked.map(\.authorization) == ["Bearer \(text)"])
  }

  @Test("threat 27: a longer token is sent nowhere, and the error says how long it may be")
  func tooLong() async throws {
    var error: JoinError?
    let asked = try await requests { url in
      do {
        _ = try await token(of: .token(Secret(String(repeating: "x", count: 8_193)), server: url))
      } catch let refused as JoinError { error = refused }
    }
    #expect(asked.isEmpty && error?.code == "badToken")
    let text = error?.description ?? ""
    #expect(text.contains("8193 bytes, and servers take at most 8192"), "\(text)")
  }
}
