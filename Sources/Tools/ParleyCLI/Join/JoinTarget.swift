import Parley

/// The meeting that `parley join` joins: by its address, by a token alone, or by its discover document.
enum JoinTarget {
  case address(String, token: Secret<String>?)
  case token(Secret<String>, server: String)
  case discover(String, token: Secret<String>?)

  init(_ options: CommandOptions) throws(CommandOptions.Problem) {
    let token = options["token"].map { Secret($0) }
    let ways = options.operands.count + (options.has("server") ? 1 : 0) + (options.has("discover") ? 1 : 0)
    guard ways == 1 else {
      throw CommandOptions.Problem(
        description: ways == 0
          ? "The address of one meeting is expected: parley join http://localhost:8080/hello"
          : "One meeting is expected: by its address, by --server with --token, or by --discover.")
    }
    if let server = options["server"] {
      guard let token else {
        throw CommandOptions.Problem(description: "--server needs --token: the token says which meeting.")
      }
      self = .token(token, server: server)
    } else if let url = options["discover"] {
      self = .discover(url, token: token)
    } else {
      self = .address(options.operands.first ?? "", token: token)
    }
  }

  /// The server, and the token of the person; nil without a token.
  var person: (server: String, token: Secret<String>)? {
    get throws(JoinError) {
      switch self {
      case .address(let url, let token):
        let address = try MeetingAddress(url)
        return (token ?? address.token).map { (address.origin, $0) }
      case .token(let token, let server): return (server, token)
      case .discover(let url, let token):
        // The scheme, nothing, and the host with its port.
        let origin = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        return token.map { (origin.joined(separator: "/"), $0) }
      }
    }
  }

  /// The same meeting, with the token of whoever has signed in.
  func with(_ token: Secret<String>) -> JoinTarget {
    switch self {
    case .address(let url, _): .address(url, token: token)
    case .token(_, let server): .token(token, server: server)
    case .discover(let url, _): .discover(url, token: token)
    }
  }

  /// The meeting, not joined yet.
  @MainActor func meeting(name: String?, options: JoinOptions) throws(JoinError) -> Meeting {
    switch self {
    case .address(let url, let token): try Meeting(url, token: token, name: name, options: options)
    case .token(let token, let server): Meeting(token: token, server: server, name: name, options: options)
    case .discover(let url, let token): Meeting(discover: url, token: token, name: name, options: options)
    }
  }
}
