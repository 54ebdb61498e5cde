import Meetings
public import Transport

/// Why a server doesn't start. Each description has the problem and what to do.
public enum ServerError: Error, Sendable, CustomStringConvertible {
  /// The data folder cannot be used.
  case store(String)
  /// A port, address or certificate cannot be used; `option` is the flag that would change it.
  case transport(TransportError, option: String)
  /// The browser client is missing.
  case web(String)
  /// `--public-url` isn't an http(s) origin.
  case publicURL(String)
  /// The media workers do not start.
  case media(String)

  /// The problem, and what to do about it.
  public var description: String {
    switch self {
    case .store(let text), .web(let text), .media(let text): text
    case .transport(let error, let option): "\(error) (\(option))"
    case .publicURL(let text):
      "--public-url is \"\(text.prefix(80))\", but an address like https://meet.example.com is expected, without a path."
    }
  }
}
