import Foundation
import Testing

/// `docs/porting-opentok.md` says what there is, and nothing else.
@Suite struct PortingGuideTests {
  private struct Row {
    var type: String
    var names: [String]
    var state: String
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func rows() throws -> [Row] {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/porting-opentok.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let names = cells[1].split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      return Row(
        type: cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")), names: names.filter { !$0.isEmpty },
        state: cells[2])
    }
  }

  /// The public part of the module, a line of source each, and the cases and requirements, which are public without saying so.
  private func declarations() throws -> [String] {
    let folder = Self.root.appendingPathComponent("Sources/OpenTok")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    return try paths.filter { !$0.hasPrefix("Engine/") }.flatMap { path in
      try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8).split(separator: "\n").map(
        String.init)
    }
  }

  @Test("every name that the guide calls there is declared, and none that it calls absent is")
  func namesAreThere() throws {
    let rows = try rows()
    #expect(rows.count > 60)
    let lines = try declarations().filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
    let words = Set(lines.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init) })
    for row in rows {
      #expect(["works", "differs", "added", "absent"].contains(row.state), "\(row)")
      if row.type != "Global names" { #expect(words.contains(row.type), "\(row.type) is not in the module") }
      for name in row.names {
        if row.state == "absent" {
          #expect(!words.contains(name), "\(name) is called absent, and is there")
        } else {
          #expect(words.contains(name), "\(row.type).\(name) is not in the module")
        }
      }
    }
  }

  @Test("every public type and member is in the guide")
  func nothingIsLeftOut() throws {
    let known = Set(try rows().flatMap { [$0.type] + $0.names })
    let pattern =
      #/^ *(?:@preconcurrency )?(?:@MainActor )?(?:public|open) (?:static |class |final |private\(set\) )*(?:var|let|func|class|struct|enum|protocol) (\w+)/#
    var missing: [String] = []
    for line in try declarations() {
      guard let found = try pattern.firstMatch(in: line) else { continue }
      let name = String(found.1)
      // Requirements of delegates are rows by their second label; their defaults repeat them.
      if !known.contains(name), !["session", "publisher", "subscriber", "stream"].contains(name) {
        missing.append(name)
      }
    }
    #expect(missing.isEmpty, "not in docs/porting-opentok.md: \(missing)")
  }
}
