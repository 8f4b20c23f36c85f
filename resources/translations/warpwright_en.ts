<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Correctness</name>
    <message numerus="yes">
        <source>%n comparison(s) passed</source>
        <translation>
            <numerusform>%n comparison passed</numerusform>
            <numerusform>%n comparisons passed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n comparison(s) made, at least one failed</source>
        <translation>
            <numerusform>%n comparison made, it failed</numerusform>
            <numerusform>%n comparisons made, at least one failed</numerusform>
        </translation>
    </message>
</context>
</TS>
