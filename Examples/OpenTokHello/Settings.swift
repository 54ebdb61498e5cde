import Foundation
import OpenTok
import UIKit

/// The command line's settings, and for the rest those of the tutorial's server.
struct Settings: Sendable {
  var server = "http://localhost:8080"
  var apiKey = ""
  var sessionId = ""
  var token = ""
  var subscribeToSelf = false
  /// Without a window, and with a test tone for a microphone.
  var isHeadless = false
  /// The file that the subscriber's frame is written to, once a second.
  var snapshot: String?
  /// Seconds until it disconnects; nil for never.
  var duration: Double?
  /// Whether it only says what the command line is.
  var wantsHelp = false

  static let usage = """
    OpenTokHello [--server URL] [--key KEY --session ID --token TOKEN] [--self] [--headless] [--snapshot FILE] [--duration SECONDS]
    OpenTokHello --help
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
      case "--duration":
        let text = try value(option)
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
          throw SettingsError("--duration \(text) is no number of seconds, such as 30 or 0.5.\n\(Self.usage)")
        }
        duration = seconds
      case "--help", "-h": wantsHelp = true
      default: throw SettingsError("\(option) is not known.\n\(Self.usage)")
      }
    }
    // The only line that names anything but OpenTok and views.
    ParleyServer.url = server
  }

  /// Says on standard error why the app cannot go on, and ends it with status 1.
  static func fail(_ why: String) -> Never {
    FileHandle.standardError.write(Data("\(why)\n".utf8))
    exit(1)
  }

  /// Asks the server for a session, as the samples do, unless the command line has named one. `done` is called on the
  /// main queue.
  func complete(_ done: @escaping @Sendable (Result<Settings, SettingsError>) -> Void) {
    let answer: @Sendable (Result<Settings, SettingsError>) -> Void = { result in
      DispatchQueue.main.async { done(result) }
    }
    guard sessionId.isEmpty else { return answer(.success(self)) }
    let problem = SettingsError(
      "\(server)/session gives no session. Start `parley serve --development`, or give --session and --token.")
    guard let url = URL(string: server + "/session") else { return answer(.failure(problem)) }
    URLSession.shared.dataTask(with: url) { data, _, _ in
      guard let data, let session = try? JSONDecoder().decode(Answer.self, from: data) else {
        return answer(.failure(problem))
      }
      var settings = self
      (settings.apiKey, settings.sessionId) = (session.apiKey, session.sessionId)
      if settings.token.isEmpty { settings.token = session.token }
      answer(.success(settings))
    }.resume()
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
