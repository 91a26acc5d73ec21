import Testing

@testable import Presentation

/// How `jimmy show` prints HTML.
@Suite struct HTMLTextTests {
    @Test(arguments: [
        ("plain  text\n here", "plain text here"),
        ("<p>One</p><p>Two<br>three</p>", "One\n\nTwo\nthree"),
        ("<ul><li>one<li>two</ul>after", "- one\n- two\n\nafter"),
        ("th&egrave;se &ccaron; &#146; &nbsp; &hellip;&unknown;", "thèse č ’ …&unknown;"),
        ("a<SCRIPT>x</SCRIPT> b<style>p {}</STYLE>c", "a b c"),
        ("<table><tr><td>one</td><td>two</td></tr></table>", "one two"),
        ("un<b>bro</b>ken", "unbroken"),
        ("5 < 6 & 7", "5 < 6 & 7"),
        ("", ""),
    ]) func `text of`(_ html: String, _ text: String) {
        #expect(HTMLText.text(html) == text)
    }
}
