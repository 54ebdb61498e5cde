public import Meetings
import Transport

extension CopiedFiles {
  /// The certificate that the server of a data folder has made itself, with its key; none where they don't fit.
  public init(of dataFolder: String) {
    self.init(of: dataFolder) { certificate, key in
      (try? TLSIdentity(certificatePath: certificate, keyPath: key).check()) != nil
    }
  }
}
