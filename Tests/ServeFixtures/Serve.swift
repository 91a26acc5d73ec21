@main enum Serve { static func main() {} }
