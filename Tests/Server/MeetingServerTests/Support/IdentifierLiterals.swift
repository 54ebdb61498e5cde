public import Basics

// Identifiers as literals: `SlotChange(mid: "v", publication: nil)`.

extension MID: @retroactive ExpressibleByUnicodeScalarLiteral, @retroactive ExpressibleByExtendedGraphemeClusterLiteral,
  @retroactive ExpressibleByStringLiteral, @retroactive ExpressibleByStringInterpolation
{
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension PublicationID: @retroactive ExpressibleByUnicodeScalarLiteral,
  @retroactive ExpressibleByExtendedGraphemeClusterLiteral, @retroactive ExpressibleByStringLiteral,
  @retroactive ExpressibleByStringInterpolation
{
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}
