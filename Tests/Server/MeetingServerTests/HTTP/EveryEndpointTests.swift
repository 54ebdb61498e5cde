import Foundation
import Meetings
import TestSupport
import Testing

@testable import MeetingServer

/// Every address of both ports against everything in ``BadInput``. The addresses come from where they are defined, so
/// that a new one is tested without a word here. Slow senders are held off below, before any address is looked at
/// (`HTTPServerTests`).
@Suite("Every endpoint", .serialized)
struct EveryEndpointTests {
  @Test(
    "threat 27: all admin endpoints, by port or socket, refuse bad input as described",
    arguments: [false, true])
  func administration(isForCommands: Bool) async throws {
    try await TestServer.run { server in
      let port = try #require(server.server.adminPort)
      let socket = server.folder + "/data/control/socket"
      let world = try await AdminWorld(server)
      let documented = try Description()
      let paths = Dictionary(grouping: AdminAPI.endpoints, by: \.path).mapValues { Set($0.map(\.method)) }
      #expect(Set(documented.operations.keys) == Set(AdminAPI.endpoints.map { "\($0.method) \($0.path)" }))
      var told = Set<String>()

      func expect(
        _ request: [UInt8], _ what: String, _ operation: String?, _ statuses: ClosedRange<Int>
      ) async throws {
        let answered =
          isForCommands
          ? try await RawHTTP.send(request, toSocket: socket) : try await RawHTTP.send(request, to: port)
        guard let answer = answered else {
          Issue.record("\(what): closed without an answer")
          return
        }
        #expect(statuses.contains(answer.status), "\(what): \(answer.status) \(answer.body.prefix(200))")
        if let operation, let known = documented.operations[operation] {
          #expect(known.contains(answer.status), "\(what): \(answer.status) is not in openapi.json")
        }
        guard answer.status >= 400, !what.hasPrefix("HEAD") else { return }
        let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body.utf8))) as? [String: Any] ?? [:]
        let code = fields["code"] as? String ?? ""
        #expect(!code.isEmpty && (fields["Error"] as? String)?.isEmpty == false, "\(what): \(answer.body.prefix(200))")
        told.insert(code)
        if answer.status == 405 { #expect(answer.headers["allow"]?.isEmpty == false, "\(what): no Allow") }
      }

      for (pattern, methods) in paths.sorted(by: { $0.key < $1.key }) {
        let path = "/api/v1/" + world.fill(pattern)
        for method in BadInput.methods where !methods.contains(method) && (method != "HEAD" || !methods.contains("GET"))
        {
          try await expect(BadInput.request(method, path), "\(method) \(path)", nil, 405...405)
        }
        for (request, status) in BadInput.malformed(path) {
          try await expect(Array(request.utf8), String(request.prefix(100)), nil, status...status)
        }
        for method in methods.sorted().reversed() {
          let operation = "\(method) \(pattern)"
          for query in BadInput.queries {
            try await expect(BadInput.request(method, path + query), "\(method) \(path)\(query)", operation, 400...400)
          }
          if method == "POST" || method == "PATCH" || method == "PUT" {
            for body in BadInput.bodies {
              try await expect(
                BadInput.request(method, path, headers: body.headers, body: body.bytes),
                "\(method) \(path) with \(body.name)", operation, 400...415)
            }
          } else if pattern.contains("*") {
            for segment in BadInput.segments {
              let tricky = "/api/v1/" + world.fill(pattern, last: segment)
              try await expect(
                BadInput.request(method, tricky), "\(method) \(tricky.prefix(100))", nil,
                // A token's id may look like this: no more is known of it than that it is refused from now on.
                operation == "DELETE tokens/*" ? 204...405 : 400...405)
            }
          }
        }
      }
      // Routes that only the socket has, and the port's pages.
      let others =
        isForCommands
        ? ControlEndpoints.paths.map { $0.replacing("<id>", with: "nobody") }
        : AdminEndpoints.paths.map { $0.replacing("…", with: "app.js") } + ["/admin/"]
      #expect(others.count == (isForCommands ? 1 : 8), "\(others)")
      for path in others {
        for method in BadInput.methods
        where method != (isForCommands ? "POST" : "GET") && (isForCommands || method != "HEAD") {
          try await expect(BadInput.request(method, path), "\(method) \(path)", nil, 405...405)
        }
        for (request, status) in BadInput.malformed(path) {
          try await expect(Array(request.utf8), String(request.prefix(100)), nil, status...status)
        }
        for segment in BadInput.segments {
          let tricky = (path == "/" ? "" : path) + "/" + segment
          try await expect(
            BadInput.request(isForCommands ? "POST" : "GET", tricky), "\(tricky.prefix(100))", nil, 302...404)
        }
      }
      #expect(
        told.isSuperset(of: [
          "methodNotAllowed", "unknownParameter", "badParameter", "unknownField", "duplicateKey", "tooDeep", "notJSON",
          "badField", "badEncoding", "badRequest", "addressTooLong", "tooLarge", "lengthRequired",
        ]), "\(told)")
      // Nothing of all that had an effect.
      let store = try await server.store()
      #expect(try await store.tenants().count == 2)
      #expect(try await store.meetings(tenant: nil, limit: 10).count == 1)
      #expect(try await store.webhooks(tenant: nil).count == 1)
      await store.close()
    }
  }

  @Test(
    "threat 27: every public endpoint refuses bad methods, bodies and paths in words")
  func everybody() async throws {
    try await TestServer.run { server in
      let openTok = try await OpenTokServer(server)
      let session = try await openTok.session()
      let firsts = Set(Endpoints.routes.all.compactMap { $0.path.split(separator: "/").first.map(String.init) })
        .filter { !$0.hasPrefix("<") }
      #expect(firsts.isSuperset(of: ["GetAdhocMeetingJob", "discover", "session", "v2", "signal", "healthz"]))
      // A room cannot bear a name that the server uses itself.
      #expect(RoomName.reserved == Endpoints.reservedNames)
      let soon = CivilTime(seconds: Int(Date().timeIntervalSince1970 + 3_600)).text
      let made = try await server.post(
        "/api/v1/meetings", #"{"subject":"Team","schedule":{"start":"\#(soon)"}}"#,
        headers: ["Content-Type": "application/json"])
      #expect(made.status == 201, "\(made.text)")
      let room = try #require(made["room"] as? String)
      let host = try #require(made["hostToken"] as? String)
      let (ann, welcome) = try await server.join("files", "Ann")
      let credential = "X-OPENTOK-AUTH: \(try openTok.jwt())\r\n"
      let project = "/v2/project/\(openTok.key)/"
      // A segment for each that varies, and what opens the addresses below a path.
      let fillers = ["/api/v1/meetings": room, "/api/chat": "f_x", "/discover": "daily"]
      let openers = [
        "/api/v1/meetings": "Authorization: Bearer \(host)\r\n",
        "/api/chat": "Authorization: Bearer \(welcome.resumeToken)\r\n", "/v2": credential,
        "/session": credential, "/hl/session": credential,
      ]
      func value(_ table: [String: String], _ path: String) -> String? {
        table.first { path == $0.key || path.hasPrefix($0.key + "/") }?.value
      }
      // The guide names each call, and no other one.
      #expect(
        try Self.openTokCalls() == Set(OpenTokAPI.sessionCalls.all.map { "/" + $0.pattern.replacing("*", with: "x") }))
      // Path, what opens it, and the methods that it takes where that is known.
      var paths: [String: (headers: String, methods: Set<String>?)] = [:]
      for path in firsts.map({ "/" + $0 }) + [
        "/", "/daily", "/discover/daily", "/session/create", "/hl/session/create",
      ] {
        paths[path] = (path.contains("session") || path == "/v2" ? credential : "", nil)
      }
      for call in MissingCall.paths { paths[project + call] = (credential, nil) }
      for route in Endpoints.routes.all where !route.methods.isEmpty && !route.path.hasSuffix("…") {
        let path = "/" + route.pattern.replacing("*", with: value(fillers, route.path) ?? "daily")
        let known = paths[path]?.methods ?? []
        paths[path] = (value(openers, path) ?? "", known.union(route.allowed))
      }
      for route in OpenTokAPI.sessionCalls.all {
        // OpenTok's own server answers a method that it doesn't take like an address that isn't there.
        paths["\(project)session/\(session)/" + route.pattern.replacing("*", with: "x")] = (credential, nil)
      }

      func expect(_ request: [UInt8], _ what: String, _ good: (Int) -> Bool) async throws {
        guard let answer = try await RawHTTP.send(request, to: server.server.port) else {
          Issue.record("\(what): closed without an answer")
          return
        }
        #expect(good(answer.status), "\(what): \(answer.status) \(answer.body.prefix(200))")
        #expect(!answer.body.contains("the secret"), "\(what)")
        guard answer.status >= 400, !what.hasPrefix("HEAD") else { return }
        let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body.utf8))) as? [String: Any] ?? [:]
        let isTold = fields["code"] is String || fields["error"] is String || answer.body.contains("<errorPayload>")
        #expect(isTold, "\(what): \(answer.status) \(answer.body.prefix(200))")
        if answer.status == 405 { #expect(answer.headers["allow"]?.isEmpty == false, "\(what): no Allow") }
      }

      // 501 is for calls that this version does not serve.
      func isAnswer(_ status: Int) -> Bool { (200..<500).contains(status) || status == 501 }
      func isRefusal(_ status: Int) -> Bool { (400..<500).contains(status) || status == 501 }
      try "the secret".write(toFile: server.folder + "/secret.txt", atomically: true, encoding: .utf8)
      for (path, (headers, methods)) in paths.sorted(by: { $0.key < $1.key }) {
        var takers: [String] = []
        for method in BadInput.methods {
          try await expect(BadInput.request(method, path, headers: headers), "\(method) \(path)") { status in
            if status != 405, ["POST", "PUT", "PATCH"].contains(method) { takers.append(method) }
            return isAnswer(status) && methods.map { $0.contains(method) == (status != 405) } ?? true
          }
        }
        for (request, status) in BadInput.malformed(path) {
          try await expect(Array(request.utf8), String(request.prefix(100))) { $0 == status }
        }
        for method in takers {
          for body in BadInput.bodies {
            try await expect(
              BadInput.request(method, path, headers: headers + body.headers, body: body.bytes),
              "\(method) \(path) with \(body.name)"
            ) { isRefusal($0) || path == ChatEndpoints.files && $0 == 201 }
          }
        }
        for segment in BadInput.segments {
          let tricky = (path == "/" ? "" : path) + "/" + segment
          try await expect(BadInput.request("GET", tricky, headers: headers), "GET \(tricky.prefix(100))", isAnswer)
        }
      }
      await ann.close()
      #expect(try await server.get("/healthz").status == 200)
      let store = try await server.store()
      #expect(try await store.isIntact())
      await store.close()
    }
  }

  // MARK: The addresses' definitions

  /// The calls in the table of `docs/opentok-rest.md`, with an id that nothing has.
  private static func openTokCalls() throws -> Set<String> {
    let text = try Repository.text(of: "docs/opentok-rest.md")
    var calls = Set<String>()
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      for (index, part) in (line.split(separator: "|").first ?? "").split(separator: "`").enumerated()
      where index % 2 == 1 {
        let words = part.split(separator: " ")
        guard words.count == 2, words[1].hasPrefix("/") else { continue }
        calls.insert(words[1].replacingOccurrences(of: "<id>", with: "x"))
      }
    }
    guard calls.count >= 8 else { throw Unexpected(text: "docs/opentok-rest.md lists \(calls.count) calls") }
    return calls
  }

  /// `Web/admin/openapi.json`: the statuses of each operation, named as ``AdminAPI/endpoints`` names it.
  private struct Description {
    var operations: [String: Set<Int>] = [:]

    init() throws {
      let file = try Data(contentsOf: Repository.file("Web/admin/openapi.json"))
      let paths = (try JSONSerialization.jsonObject(with: file) as? [String: Any])?["paths"] as? [String: Any] ?? [:]
      for (path, methods) in paths {
        let pattern = path.dropFirst("/api/v1/".count).split(separator: "/").map { $0.hasPrefix("{") ? "*" : $0 }
          .joined(separator: "/")
        for (method, operation) in methods as? [String: Any] ?? [:] {
          guard let responses = (operation as? [String: Any])?["responses"] as? [String: Any] else { continue }
          operations["\(method.uppercased()) \(pattern)"] = Set(responses.keys.compactMap { Int($0) })
        }
      }
    }
  }
}

extension MissingCall {
  /// The path of each, below `/v2/project/<key>/`.
  fileprivate static var paths: [String] {
    allCases.map { call in
      switch call {
      case .archives: "archive"
      case .broadcasts: "broadcast"
      case .renders: "render"
      case .captions: "captions"
      case .sip: "dial"
      case .dtmf: "session/x/play-dtmf"
      case .audioConnector: "connect"
      }
    }
  }
}

/// One of everything that the administration's addresses name.
private struct AdminWorld {
  private var names = [
    "participants": "nobody", "tokens": "t1", "domains": "acme", "identities": "1", "endpoints": "e1",
  ]

  init(_ server: TestServer) async throws {
    let port = server.server.adminPort ?? 0
    func make(_ path: String, _ body: String) async throws -> [String: Any] {
      let answer = try await TestServer.request(
        "POST", "http://127.0.0.1:\(port)/api/v1/\(path)", ["Content-Type": "application/json"], Array(body.utf8))
      guard (200..<300).contains(answer.status) else { throw Unexpected(text: "\(path): \(answer.text)") }
      return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }
    let tenant = try await make("tenants", "{\"name\":\"acme\"}")
    names["tenants"] = "acme"
    _ = try await make("domains", "{\"name\":\"acme\",\"authentication\":\"disabled\"}")
    names["keys"] = (tenant["key"] as? [String: Any])?["id"] as? String
    names["meetings"] = try await make("meetings", "{\"room\":\"kept\"}")["id"] as? String
    let webhook = try await make("webhooks", "{\"url\":\"https://hooks.example.com/a\",\"enabled\":false}")["id"]
    names["webhooks"] = webhook as? String
    names["deliveries"] = try await make("webhooks/\(names["webhooks"] ?? "")/test", "{}")["id"] as? String
  }

  /// A path with ids for its `*`, of which the last can be another.
  func fill(_ pattern: String, last: String? = nil) -> String {
    var parts = pattern.split(separator: "/").map(String.init)
    let end = parts.lastIndex(of: "*")
    for index in parts.indices where parts[index] == "*" {
      parts[index] = index == end && last != nil ? last ?? "" : index > 0 ? names[parts[index - 1]] ?? "x" : "x"
    }
    return parts.joined(separator: "/")
  }
}
