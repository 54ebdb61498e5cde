// Where reports were written once.
import OpenTok

enum ReportFiles {
  static func write(_ session: OTSession) {
    var error: OTError?
    session.setRtcStatsReportFilePath("/tmp/report", error: &error)
  }
}
