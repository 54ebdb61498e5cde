import Foundation
import OpenTok
import ParleyViews

/// What the command line says, and what the server of the tutorial gives for the rest.
struct Settings {
  var server = "http://localhost:8080"
  var apiKey = ""
  var sessionId = ""
  var token = ""
  var subscribeToSelf = false
  var isHeadless = false
  /// Where the subscriber's picture is written to, once a second.
  var snapshot: String?
  /// Seconds until it disconnects; nil for never.
  var duration: Double?

  static let usage = """
    OpenTokHello [--server URL] [--key KEY --session ID --token TOKEN] [--self] [--headless] [--snapshot FILE] [--duration SECONDS]
    Without a session the server is asked for one (GET /session), which it gives when it runs for development.
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ option: String) throws -> String {
      guard let text = rest.popFirst() else { throw SettingsError("\(option) needs a value.\n\(Self.usage)") }
      return text
    }
    while let option = rest.popFirst() {
      switch option {
      case "--server": server = try value(option)
      case "--key": apiKey = try value(option)
      case "--session": sessionId = try value(option)
      case "--token": token = try value(option)
      case "--self": subscribeToSelf = true
      case "--headless": isHeadless = true
      case "--snapshot": snapshot = try value(option)
      case "--duration": duration = Double(try value(option))
      default: throw SettingsError("\(option) is not known.\n\(Self.usage)")
      }
    }
    // The only line that names anything but OpenTok and views.
    ParleyServer.url = server
  }

  /// Asks the server for a session, as the samples do.
  mutating func complete() throws {
    guard sessionId.isEmpty else { return }
    guard let url = URL(string: server + "/session"), let data = Self.get(url),
      let answer = try? JSONDecoder().decode(Answer.self, from: data)
    else {
      throw SettingsError(
        "\(server)/session gives no session. Start `parley serve --development`, or give --session and --token.")
    }
    (apiKey, sessionId) = (answer.apiKey, answer.sessionId)
    if token.isEmpty { token = answer.token }
  }

  /// What is at an address. Nothing else goes on before the app has it.
  private static func get(_ url: URL) -> Data? {
    let answer = OneValue()
    URLSession.shared.dataTask(with: url) { data, _, _ in answer.set(data) }.resume()
    return answer.wait()
  }

  private struct Answer: Decodable {
    var apiKey: String
    var sessionId: String
    var token: String
  }
}

struct SettingsError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A value that comes from another thread.
// unchecked: written before the signal, read after it.
private final class OneValue: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private var value: Data?

  func set(_ data: Data?) {
    value = data
    arrived.signal()
  }

  func wait() -> Data? {
    arrived.wait()
    return value
  }
}
