/// The version of this build.
public enum ParleyVersion {
  /// As `parley version` prints it.
  public static let current = "0.1.0"
}
