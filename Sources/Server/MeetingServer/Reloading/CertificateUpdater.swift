import FoundationEssentials
import Transport

/// Keeps the certificate of the public port up to date while the server runs. Renewed files are read again, and a
/// self-signed certificate is renewed before its end. Unusable files change nothing, and are logged once.
actor CertificateUpdater {
  /// How often the files are looked at.
  static let interval = Duration.seconds(2)
  /// How long after a self-made certificate could not be renewed it is tried again, in seconds.
  private static let retry = 3_600.0

  private let http: HTTPServer
  private let log: Log
  private let now: @Sendable () -> Date
  /// The names and addresses of a self-made certificate now, and the folder that it is in.
  private let hosts: @Sendable () -> [String]
  private let folder: String
  private var mode: ServerConfiguration.TLS
  private var identity: TLSIdentity
  private var watch: FileWatch
  private var problem: String?
  private var nextRenewal = Date.distantPast

  init(
    _ http: HTTPServer, identity: TLSIdentity, mode: ServerConfiguration.TLS, folder: String, log: Log,
    now: @escaping @Sendable () -> Date = { Date() }, hosts: @escaping @Sendable () -> [String]
  ) {
    self.http = http
    self.identity = identity
    self.mode = mode
    self.folder = folder
    self.log = log
    self.now = now
    self.hosts = hosts
    watch = FileWatch(Self.stamps(of: identity))
  }

  private static func stamps(of identity: TLSIdentity) -> [FileStamp?] {
    [identity.certificatePath, identity.keyPath].map { FileStamp(of: $0) }
  }

  /// Looks until its task is cancelled.
  func run() async {
    // Catches changes of the files since the server read them.
    read(isAsked: false)
    while !Task.isCancelled {
      guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
      look()
    }
  }

  /// One look: reads what has changed, and renews what ends.
  func look() {
    if watch.isDue(Self.stamps(of: identity)) { read(isAsked: false) }
    renew()
  }

  /// Reads the files now, those of `mode` from now on. If these can't be used, the certificate stays.
  func reload(_ mode: ServerConfiguration.TLS) {
    switch mode {
    case .off: return
    case .files(let certificate, let key):
      self.mode = mode
      identity = TLSIdentity(certificatePath: certificate, keyPath: key)
    case .selfSigned:
      guard mode != self.mode else { break }
      do throws(TransportError) {
        identity = try .selfSigned(hosts: hosts(), directory: folder, now: Int64(now().timeIntervalSince1970))
        self.mode = mode
      } catch {
        report(error, isAsked: true)
        return
      }
    }
    read(isAsked: true)
    renew()
  }

  private func read(isAsked: Bool) {
    let stamps = Self.stamps(of: identity)
    defer { watch.noteRead(stamps) }
    do throws(TransportError) {
      let certificate = try identity.load()
      problem = nil
      guard certificate.fingerprint != http.certificate?.fingerprint else { return }
      http.replaceCertificate(certificate)
      log.info(
        "tls.certificate", ["file": identity.certificatePath, "until": Self.text(certificate.ends)])
      let seconds = Int64(now().timeIntervalSince1970)
      if certificate.ends <= seconds || certificate.begins > seconds {
        log.warning(
          "tls.certificateNotValid",
          [
            "file": identity.certificatePath, "from": Self.text(certificate.begins),
            "until": Self.text(certificate.ends),
          ])
      }
    } catch {
      report(error, isAsked: isAsked)
    }
  }

  /// Renews a self-signed certificate that ends soon.
  private func renew() {
    guard mode == .selfSigned, let certificate = http.certificate, now() >= nextRenewal else { return }
    let seconds = Int64(now().timeIntervalSince1970)
    guard certificate.ends <= seconds + TLSIdentity.renewal else { return }
    nextRenewal = now() + Self.retry
    do throws(TransportError) {
      identity = try .selfSigned(hosts: hosts(), directory: folder, now: seconds)
    } catch {
      return report(error, isAsked: false)
    }
    read(isAsked: false)
  }

  private func report(_ error: TransportError, isAsked: Bool) {
    let text = error.description
    guard text != problem || isAsked else { return }
    problem = text
    log.error(
      "tls.certificateKept",
      ["reason": text, "using": "the certificate before, until \(http.certificate.map { Self.text($0.ends) } ?? "?")"])
  }

  private static func text(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}
