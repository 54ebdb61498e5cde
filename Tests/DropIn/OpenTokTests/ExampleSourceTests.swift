import Foundation
import TestSupport
import Testing

/// The apps in Examples are what somebody ports: nothing in them is Parley's but the address of the server.
@Suite struct ExampleSourceTests {
  /// The Swift files below a folder, by path, without comments.
  private func sources(_ folder: String) throws -> [String: String] {
    let place = Repository.file(folder)
    let files = try #require(FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil))
    var texts: [String: String] = [:]
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      texts[file.lastPathComponent] = text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.replacing(/(^|\s)\/\/.*/, with: "") }.joined(separator: "\n")
    }
    return texts
  }

  // They import UIKit, Foundation and the SDK that they were written for; three share what is in BBMSupport.
  @Test(
    "the example apps name nothing of Parley but the server's address",
    arguments: [
      ("OpenTokHello", "OpenTok"), ("BBMSupport", "BBMEnterprise"), ("QuickStart", "BBMEnterprise"),
      ("SimpleChat", "BBMEnterprise"), ("SoftPhone", "BBMEnterprise"), ("WoodgroveBank", "SkypeForBusiness"),
    ])
  func namesOfParley(app: String, module: String) throws {
    let files = try sources("Examples/" + app)
    #expect(files.count > 2)
    for (file, text) in files {
      for line in text.split(separator: "\n") {
        if let found = line.firstMatch(of: /^(?:@\w+ )*import (?:\w+ )?(\w+)/) {
          #expect(["Foundation", "UIKit", "BBMSupport", module].contains(String(found.1)), "\(file): \(line)")
        } else if !line.contains("ParleyServer.url = ") {
          #expect(!line.contains(/\b(?:Parley|PARLEY)/), "\(file): \(line)")
        }
      }
    }
    for folder in [module, "ParleyViews", "UIKit"] {
      for (file, text) in try sources("Sources/" + folder) {
        for line in text.split(separator: "\n") where line.contains("@_exported") {
          let brought = [
            "Foundation", "FoundationNetworking", "UIKit", "ParleyViews", "class ParleyViews.NSKeyValueObservation",
            "enum ParleyViews.NSKeyValueChange", "struct ParleyViews.NSKeyValueChangeKey",
            "struct ParleyViews.NSKeyValueObservedChange", "struct ParleyViews.NSKeyValueObservingOptions",
          ]
          #expect(brought.contains { line.hasSuffix(" import " + $0) }, "\(folder)/\(file): \(line)")
        }
      }
    }
  }

  @Test("on Linux the views are there in whatever order UIKit was built")
  func ownUIKit() throws {
    for (file, text) in try sources("Sources/Client/ParleyViews") {
      for line in text.split(separator: "\n") where line.contains("canImport(UIKit)") {
        #expect(line.contains("os(Linux)"), "\(file): \(line) would look at the package's own UIKit")
      }
    }
  }
}
