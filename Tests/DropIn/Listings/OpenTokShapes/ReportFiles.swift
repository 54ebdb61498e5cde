// An app of older versions writes reports to a file.
import OpenTok

enum ReportFiles {
  static func write(_ session: OTSession) {
    var error: OTError?
    session.setRtcStatsReportFilePath("/tmp/report", error: &error)
  }
}
