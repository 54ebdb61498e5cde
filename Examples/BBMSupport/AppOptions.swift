import Foundation

/// The options of an example's command line, the same for each.
public struct AppOptions {
  /// The server; nil leaves what ConfigSettings.plist says.
  public var server: String?
  public var domain: String?
  /// The user who signs in, in place of a question.
  public var user: String?
  public var passcode: String?
  /// Given where the passcode counts as forgotten.
  public var newPasscode: String?
  /// Describes this endpoint to the user's other ones, before it is registered.
  public var description: String?
  /// Seconds until it stops.
  public var duration: Double?
  /// The folder that stands in for the user's data folder.
  public var data: String?
  public var isHeadless = false
  /// Leaves signing in to what this endpoint remembers.
  public var isSilent = false
  public var wantsHelp = false
  private let program: String

  /// How a program is used, with the commands that it adds to those of every example.
  public static func usage(_ program: String, _ commands: [String]) -> String {
    let all =
      commands + [
        #"{"command":"signOut"}, {"command":"signIn","user":NAME}, {"command":"passcode","passcode":P}"#,
        #"{"command":"endpoints"}, {"command":"retry"}, {"command":"token","lifetime":S}, {"command":"stop"}"#,
      ]
    return """
      \(program) [--server URL] [--domain ID] [--user NAME --passcode P]
      \(program) --headless --server URL --domain ID --user NAME --passcode P [--new-passcode P] [--duration S] [--data DIR]
        --server URL      the server, instead of the one in ConfigSettings.plist
        --domain ID       the domain, as `parley domain create` prints it
        --headless        without a window
        --user NAME       signs in and, with or without a window, prints JSON lines, and reads commands from standard
                          input, one JSON object a line
        --passcode P      the passcode of the user's keys
        --new-passcode P  forgets the passcode in use, and makes new keys with this one
        --silent          doesn't sign in: the user of the last run comes back by itself
        --description T   describes this endpoint to the user's other ones
        --duration S      stops after so many seconds; without it, after a command, or when standard input has ended
        --data DIR        where this endpoint keeps its data
      Commands:
        \(all.joined(separator: "\n  "))
      The status is 0 when the setup succeeded, and 1 otherwise, with the reason on standard error.
      """
  }

  public init(_ arguments: [String], program: String, commands: [String]) throws {
    self.program = program
    let usage = Self.usage(program, commands)
    var rest = arguments[...]
    func value(_ option: String) throws -> String {
      guard let text = rest.popFirst() else { throw AppOptionsError("\(option) needs a value.\n\(usage)") }
      return text
    }
    while let option = rest.popFirst() {
      switch option {
      case "--server":
        let text = try value(option)
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
          parts.host?.isEmpty == false
        else { throw AppOptionsError("--server \(text) isn't an address such as https://meet.example.com.\n\(usage)") }
        server = text
      case "--domain": domain = try value(option)
      case "--user":
        // As the question for a user id takes it.
        let name = try value(option).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { throw AppOptionsError("--user needs a name.\n\(usage)") }
        user = name
      case "--passcode": passcode = try value(option)
      case "--new-passcode": newPasscode = try value(option)
      case "--description": description = try value(option)
      case "--data": data = try value(option)
      case "--headless": isHeadless = true
      case "--silent": isSilent = true
      case "--help", "-h": wantsHelp = true
      case "--duration":
        let text = try value(option)
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
          throw AppOptionsError("--duration \(text) isn't a number of seconds, such as 30 or 0.5.\n\(usage)")
        }
        duration = seconds
      default: throw AppOptionsError("\(option) isn't known.\n\(usage)")
      }
    }
    guard !wantsHelp else { return }
    if isHeadless || user != nil, domain == nil || user == nil || passcode == nil {
      throw AppOptionsError("\(isHeadless ? "--headless" : "--user") needs --domain, --user and --passcode.\n\(usage)")
    }
  }

  /// Whether a ``Visitor`` acts in place of a person.
  public var hasVisitor: Bool { user != nil }

  /// The data folder of this process. With a visitor each user has one, so that several can run on one computer.
  public var folder: String? {
    if let data { return URL(fileURLWithPath: data).path }
    guard let user else { return nil }
    return NSHomeDirectory() + "/.local/share/\(program)/" + Self.folderName(of: user)
  }

  /// A name of a folder for a user, and for nobody else.
  static func folderName(of user: String) -> String {
    let parts = user.map { $0.isLetter || $0.isNumber ? "\($0)" : $0.unicodeScalars.map { "_\($0.value)_" }.joined() }
    let name = parts.joined()
    // The system's names have 255 bytes at most; others than digits and letters can be told apart by their numbers.
    guard name.utf8.count > 200 else { return name }
    let bytes = user.utf8.reduce(into: UInt64(14_695_981_039_346_656_037)) { hash, byte in
      hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
    }
    return String(name.prefix(40)) + "_" + String(bytes, radix: 16)
  }
}

public struct AppOptionsError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
