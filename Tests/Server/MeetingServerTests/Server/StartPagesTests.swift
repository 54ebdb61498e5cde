import Testing

@testable import MeetingServer

/// Memory that an idle server gives back.
@Suite struct StartPagesTests {
  @Test("only private mappings of files that cannot be written are let go")
  func mappings() {
    func range(_ line: String) -> Range<UInt>? { StartPages.unwritableFile(line.split(separator: " ")) }
    #expect(range("5500-5600 r-xp 00004000 fe:00 254145 /usr/bin/parley") == 0x5500..<0x5600)
    #expect(range("5500-5600 r--p 00004000 fe:00 254145 /opt/a b/parley") == 0x5500..<0x5600)
    for line in [
      "5500-5600 rw-p 00004000 fe:00 254145 /usr/bin/parley", "5500-5600 r--s 00000000 fe:00 7 /data/parley.db-shm",
      "5500-5600 ---p 00004000 fe:00 254145 /usr/bin/parley", "5500-5600 r-xp 00000000 00:00 0 [vdso]",
      "5500-5600 r--p 00000000 00:00 0", "5600-5500 r-xp 00004000 fe:00 254145 /usr/bin/parley",
      "5500 r-xp 00004000 fe:00 254145 /usr/bin/parley", "zz-yy r-xp 0 fe:00 1 /usr/bin/parley", "Rss: 4 kB", "",
    ] {
      #expect(range(line) == nil, "\(line)")
    }
  }

  @Test("letting go takes the program's pages, and it goes on as before")
  func release() {
    let before = ContinuousClock.now
    // At least the text of this very program.
    #expect(StartPages.release() > 1 << 20)
    #expect(before < ContinuousClock.now)
  }
}
