import Basics
import Signaling
import Transport

/// How to find the signalling of a meeting.
enum MeetingLocation: Sendable {
  /// The address of a meeting, with a token from elsewhere or in it.
  case address(MeetingAddress, token: Secret<String>?)
  /// The address of a discover document.
  case discover(String, token: Secret<String>?)
  /// A server and a token, no room name: the token says which meeting.
  case token(Secret<String>, server: String)

  /// Fetches the discover document. A token goes in a header: addresses stand in the logs of proxies.
  func document(timeout: TimeSpan, trustsAny: Bool) async throws(JoinError) -> (DiscoverDocument, Secret<String>) {
    let url: String
    var given: Secret<String>?
    switch self {
    case .address(let address, let token):
      url = address.discover
      given = token ?? address.token
    case .discover(let text, let token):
      url = MeetingAddress.withoutJoinContext(text)
      given = token ?? MeetingAddress.joinContext(in: text)
    case .token(let token, let server):
      url = try MeetingAddress.discover(server: server)
      given = token
    }
    var headers = HTTPHeaders()
    if let given {
      try Self.check(given)
      headers["Authorization"] = "Bearer \(given.value)"
    }
    let response: HTTPClient.Response
    do throws(TransportError) {
      response = try await HTTPClient.request(
        "GET", url, headers: headers, limit: 1 << 20, timeout: timeout, allowsSelfSigned: trustsAny)
    } catch { throw JoinError(error, reaching: url) }
    guard response.status == 200 else { throw Self.refusal(response, url) }
    let document: DiscoverDocument
    do throws(SignalingError) {
      document = try SignalingDecoder().decode(DiscoverDocument.self, from: response.body)
    } catch { throw Self.stranger(url) }
    guard let token = document.token.map({ Secret($0) }) ?? given else {
      throw .refused(code: "badToken", message: "A token is needed to join this meeting.")
    }
    return (document, Secret(token.value.hasPrefix("psat=") ? token.value : "psat=\(token.value)"))
  }

  /// Refuses what no server takes for a token, before it is sent anywhere.
  static func check(_ token: Secret<String>) throws(JoinError) {
    let text = token.value
    // Characters that no token has could end the header and begin another.
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .refused(
        code: "badToken", message: "The join token is not valid: it is empty, or has characters that no token has.")
    }
    guard SignalingLimits.takes(token: text) else {
      throw .refused(
        code: "badToken",
        message: "The join token has \(text.utf8.count) bytes, and servers take at most \(SignalingLimits.tokenBytes). "
          + "Ask for one with shorter data.")
    }
  }

  private struct Refusal: Decodable {
    var error: String
    var code: String
    var signIn: String?
    private enum CodingKeys: String, CodingKey {
      case error = "Error"
      case code, signIn
    }
  }

  static func refusal(_ response: HTTPClient.Response, _ url: String) -> JoinError {
    guard let refusal = try? SignalingDecoder().decode(Refusal.self, from: response.body) else {
      return response.status >= 500
        ? .unreachable("\(place(url)) answered with status \(response.status); try again later.") : stranger(url)
    }
    // The address is opened in a browser, so it has to be the server's own.
    if refusal.code == "signInRequired", let signIn = refusal.signIn, signIn.utf8.count <= 2_048,
      let own = try? MeetingAddress(url.replacing("/discover/", with: "/")), signIn.hasPrefix("\(own.origin)/")
    {
      return .signInRequired(url: signIn)
    }
    return JoinError(code: refusal.code, message: refusal.error)
  }

  private static func stranger(_ url: String) -> JoinError {
    .notParley("\(place(url)) does not answer as a Parley server does. Check the address.")
  }

  private static func place(_ url: String) -> Substring { url.prefix { $0 != "?" } }
}
