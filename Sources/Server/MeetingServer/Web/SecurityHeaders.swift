/// Response headers that keep a page to itself: no foreign scripts, no embedding, no referrer (threat 28).
public enum SecurityHeaders {
  /// For pages and their files. `connect-src` names the signalling scheme, since `'self'` does not cover WebSockets in
  /// every browser.
  public static let page: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob: mediastream:; "
        + "font-src 'self'; connect-src 'self' ws: wss:; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"
    ),
    ("Permissions-Policy", "camera=(self), microphone=(self), display-capture=(self), autoplay=(self), geolocation=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
  ]

  public static let all: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
  ]
}
