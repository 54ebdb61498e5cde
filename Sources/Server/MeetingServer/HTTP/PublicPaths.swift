/// The addresses of the public port for `docs/protocol.md`.
public enum PublicPaths {
  /// The names that no room may bear, and a table of the requests with their answers.
  public static var markdown: String {
    let routed = Endpoints.routes.all.compactMap { $0.firstWord.map(String.init) }
    let names = Set(routed).union(Endpoints.reservedForLater).sorted { $0.lowercased() < $1.lowercased() }
    var lines = [""]
    for name in names.map({ "`\($0)`" }) {
      if lines[lines.count - 1].count + name.count > 118 { lines.append("") }
      lines[lines.count - 1] += lines[lines.count - 1].isEmpty ? name : " \(name)"
    }
    return lines.joined(separator: "\n") + "\n\n" + Endpoints.routes.markdown
  }
}
