import Foundation
import Testing

@testable import MeetingServer

@Suite("Files that change while a server runs") struct FileWatchTests {
  @Test("files are read once after they changed and rested, however they are written")
  func rests() {
    func stamps(_ certificate: Int64?, _ key: Int64?) -> [FileStamp?] {
      [certificate, key].map { $0.map { FileStamp(modified: $0) } }
    }
    var watch = FileWatch(stamps(1, 1))
    func isDue(_ certificate: Int64?, _ key: Int64?) -> Bool { watch.isDue(stamps(certificate, key)) }
    #expect(!isDue(1, 1))
    // One file, then the other: neither look falls between a change and its rest.
    #expect(!isDue(2, 1))
    #expect(!isDue(2, 2))
    #expect(isDue(2, 2))
    watch.noteRead(stamps(2, 2))
    #expect(!isDue(2, 2))
    // A file that is gone for a moment and comes back as it was isn't a change.
    #expect(!isDue(nil, 2))
    #expect(!isDue(2, 2))
    #expect(!isDue(2, 2))
    // One that stays away is: reading it says so.
    #expect(!isDue(nil, 2))
    #expect(isDue(nil, 2))
  }

  @Test("a stamp tells a rename, a link that leads elsewhere and a file written in place")
  func stamps() throws {
    let folder = NSTemporaryDirectory() + "parley-stamps-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ name: String, _ text: String) throws {
      let file = try #require(fopen(folder + "/" + name, "w"))
      fputs(text, file)
      fclose(file)
    }
    try write("one", "1")
    try write("two", "2")
    #expect(FileStamp(of: folder + "/link") == nil)
    #expect(symlink("one", folder + "/link") == 0)
    let first = try #require(FileStamp(of: folder + "/link"))
    #expect(first == FileStamp(of: folder + "/one"))
    #expect(symlink("two", folder + "/next") == 0 && rename(folder + "/next", folder + "/link") == 0)
    let second = try #require(FileStamp(of: folder + "/link"))
    #expect(second != first)
    try write("two", "22")
    let third = try #require(FileStamp(of: folder + "/link"))
    #expect(third != second)
    try write("new", "33")
    #expect(rename(folder + "/new", folder + "/two") == 0)
    #expect(FileStamp(of: folder + "/link") != third)
  }
}
